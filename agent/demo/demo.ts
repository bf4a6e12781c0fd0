import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { CliIo } from '../cli/command.ts';
import { printable } from '../cli/text.ts';
import { DemoController } from './client.ts';
import { type DemoRack, startDemoRack } from './rack.ts';
import { runScenes } from './scenes.ts';

/**
 * `portkeeper demo`: an embedded broker, a simulated switch behind a real SSH connection, and the agent, wired as in
 * production. Shows a few intents from end to end and checks each; then stays up to be played with. `--once`: ends after
 * the show, with 0 when everything was as it should be and 1 when not.
 */
export async function runDemo(args: readonly string[], io: CliIo): Promise<number> {
  const once = args.includes('--once');
  const unknown = args.find((arg) => arg !== '--once');
  if (unknown !== undefined) {
    io.stderr(`portkeeper: demo does not know "${printable(unknown)}"\nusage: portkeeper demo [--once]\n`);
    return 64;
  }
  const say = (line = '') => io.stdout(`${printable(line)}\n`);
  let rack: DemoRack | null = null;
  const controller = new DemoController();
  try {
    rack = await startDemoRack(appendFileSync);
    await controller.connect(rack.broker.url);
    say('portkeeper demo: a broker, a simulated switch and the agent, on this machine only');
    say(`  broker    ${rack.broker.url} (embedded)`);
    say(`  switch    tor1, ssh portkeeper@${rack.tor.address.host} -p ${rack.tor.address.port}, 8 ports`);
    say(`  agent     rack "demo", configuration ${rack.configFile}`);
    say(`            log ${rack.logFile}`);
    const failures = await runScenes(rack, controller, say);
    say();
    if (failures.length > 0) {
      for (const failure of failures) io.stderr(`portkeeper: the demo failed: ${printable(failure)}\n`);
      if (once) return 1;
    } else {
      say('Everything was as it should be: each change was proven by reading it back.');
    }
    if (!once) await play(rack, say);
    return failures.length > 0 ? 1 : 0;
  } catch (error) {
    io.stderr(`portkeeper: the demo failed: ${printable(error instanceof Error ? error.message : String(error))}\n`);
    return 1;
  } finally {
    await controller.close();
    await rack?.stop();
  }
}

/** Stays up; a person may pull cables and change the switch by hand, and look with the ordinary commands. */
async function play(rack: DemoRack, say: (line?: string) => void): Promise<void> {
  const program = process.argv[1] ?? 'dist/portkeeper.cjs';
  say();
  say('The rack stays up. In another terminal:');
  say(`  export PORTKEEPER_RUNTIME_DIR=${rack.runtimeDir} PORTKEEPER_CONFIG=${rack.configFile}`);
  say(`  alias portkeeper='node ${program}'`);
  say('  portkeeper status');
  say('  portkeeper port swp3');
  say('  portkeeper events -f');
  say('  portkeeper publish - --publisher ironic --revision auto --wait \\');
  say(`    --broker ${rack.broker.url} --rack demo --protocol 3.1.1 \\`);
  say(`    --username ironic --password-file ${rack.folder}/publisher.password <<'END'`);
  say('  {"revision": 0, "attachments": {"worker-4/eno1":');
  say('    {"port": {"switchId": "tor1", "portId": "swp4"},');
  say('     "switchport": {"mode": "access", "nativeVLAN": 200}}}}');
  say('  END');
  say('Here, type:  pull swp3 | plug swp3 | hand swp3 (somebody changes the port) | reboot | quit');
  const lines = createInterface({ input: process.stdin, terminal: false });
  const stop = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
    lines.on('line', (line) => {
      if (line.trim() === 'quit') resolve();
      else act(line.trim().split(/\s+/), rack, say);
    });
  });
  await stop;
  lines.close();
  process.stdin.unref();
}

function act(words: readonly string[], rack: DemoRack, say: (line?: string) => void): void {
  const [verb = '', port = ''] = words;
  try {
    if (verb === 'pull') {
      pulled.set(port, rack.tor.model.neighbor(port));
      rack.tor.cable(port, null);
      say(`the cable of ${port} is out`);
    } else if (verb === 'plug') {
      rack.tor.cable(port, pulled.get(port) ?? rack.tor.model.neighbor(port));
      say(`the cable of ${port} is in`);
    } else if (verb === 'hand') {
      rack.tor.byHand([`interface ${port}`, 'switchport access vlan 1']);
      say(`somebody put ${port} into VLAN 1; the agent looks every 2 s`);
    } else if (verb === 'reboot') {
      rack.tor.reboot();
      say('tor1 restarts; what was not saved is gone');
    } else if (verb !== '') {
      say('pull PORT | plug PORT | hand PORT | reboot | quit');
    }
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

const pulled = new Map<string, ReturnType<DemoRack['tor']['model']['neighbor']>>();
