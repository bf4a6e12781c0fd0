import type { LineDone, SwitchModel } from '../../test/sim/index.ts';
import type { ResultDocument } from '../model/report.ts';
import type { DemoController } from './client.ts';
import type { DemoRack } from './rack.ts';

type Say = (line?: string) => void;

/** What a port forwards on the simulated switch, in words: the switch's own state, not what the agent says of it. */
function forwards(rack: DemoRack, port: string): string {
  const { untagged, tagged, up } = rack.tor.model.carried(port);
  if (!up) return 'nothing';
  const parts = [
    ...(untagged === null ? [] : [`untagged ${untagged}`]),
    ...(tagged.length > 0 ? [`tagged ${ranges(tagged)}`] : []),
  ];
  return parts.join(', ') || 'nothing';
}

function ranges(ids: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const id of ids) {
    const last = runs.at(-1);
    if (last && last[1] === id - 1) last[1] = id;
    else runs.push([id, id]);
  }
  return runs.map(([a, b]) => (a === b ? a : `${a}-${b}`)).join(',');
}

/** Runs the scenes of the demo, telling each step as it happens. Returns what was not as it should be. */
export async function runScenes(rack: DemoRack, controller: DemoController, say: Say): Promise<string[]> {
  const failures: string[] = [];
  const expect = (port: string, wanted: string) => {
    const is = forwards(rack, port);
    say(`  switch    ${port} now forwards: ${is}`);
    if (is !== wanted) failures.push(`${port} forwards ${is}, not ${wanted}`);
  };
  const onLine = (done: LineDone<SwitchModel>) => {
    if (done.prompt.includes('(config') && done.line !== 'end' && done.line !== 'exit')
      say(`  ssh       ${done.prompt}${done.line}`);
  };
  const { app } = rack.daemon;

  say();
  say('1. At the start every managed port goes into the idle network, VLAN 4000');
  await controller.event('the agent reaching the switch', 0, (e) => e.kind === 'switch-reachable');
  await controller.event('the first configuration being saved', 0, (e) => e.kind === 'saved');
  expect('swp1', 'untagged 4000');
  say('            swp8 leads to a spine switch, as LLDP shows: it is protected and left alone');

  const stopWatching = rack.tor.faults.onLine(onLine);
  const first = {
    'worker-1/eno1': {
      port: { switchId: 'tor1', portId: 'swp1' },
      switchport: { mode: 'access', nativeVLAN: 100 },
      description: 'worker-1 eno1',
    },
    'worker-2/eno1': {
      port: { switchId: 'tor1', portId: 'swp2' },
      switchport: { mode: 'trunk', nativeVLAN: 120, allowedVLANs: [200, '300-310'] },
    },
    'worker-3/eno1': { port: { switchId: 'tor1', portId: 'swp3' }, network: 'inspection' },
    'spine/uplink': { port: { switchId: 'tor1', portId: 'swp8' }, switchport: { mode: 'access', nativeVLAN: 100 } },
  };
  say();
  say('2. A controller publishes an intent document');
  show(await scene(first), say);
  expect('swp1', 'untagged 100');
  expect('swp2', 'untagged 120, tagged 200,300-310');
  expect('swp3', 'untagged 900');
  await check('worker-1/eno1', 'applied');
  await check('spine/uplink', 'rejected');

  say();
  say('3. worker-1 moves to another tenant, worker-2 is withdrawn');
  const { 'worker-2/eno1': _, 'spine/uplink': __, ...rest } = first;
  show(
    await scene({
      ...rest,
      'worker-1/eno1': { ...first['worker-1/eno1'], switchport: { mode: 'access', nativeVLAN: 200 } },
    }),
    say,
  );
  expect('swp1', 'untagged 200');
  expect('swp2', 'untagged 4000');

  say();
  say('4. Somebody changes swp1 by hand: the port is open for every VLAN');
  let from = controller.events.length;
  rack.tor.byHand(['interface swp1', 'no switchport trunk allowed vlan', 'switchport mode trunk']);
  const drift = await controller.event('the drift event', from, (e) => e.kind === 'drift' && e.port === 'swp1');
  say(`  event     ${drift.kind}: ${drift.message}`);
  const repaired = await controller.event('the repair', from, (e) => e.kind === 'applied' && e.port === 'swp1');
  say(`  event     ${repaired.kind}: ${repaired.message}`);
  expect('swp1', 'untagged 200');

  say();
  say('5. A cable is pulled');
  from = controller.events.length;
  const neighbor = rack.tor.model.neighbor('swp4');
  rack.tor.cable('swp4', null);
  const down = await controller.event('the link-down event', from, (e) => e.kind === 'link-down' && e.port === 'swp4');
  say(`  event     ${down.kind}: ${down.message}`);
  rack.tor.cable('swp4', neighbor);
  await controller.event('the link-up event', from, (e) => e.kind === 'link-up' && e.port === 'swp4');
  stopWatching();
  return failures;

  async function scene(attachments: Record<string, unknown>): Promise<ResultDocument> {
    const plan = app.planFor('ironic', attachments);
    say(`  intent    ${controller.topics.intent('ironic')}  revision ${controller.revision + 1}`);
    for (const [name, a] of Object.entries(attachments))
      say(`            ${name}: ${JSON.stringify(a).slice(1, -1)}`.slice(0, 160));
    for (const change of plan.changes) {
      say(`  plan      ${change.port}: ${change.differences.map((d) => `${d.field} ${d.from} -> ${d.to}`).join(', ')}`);
    }
    await controller.publish(attachments);
    return controller.settled();
  }

  async function check(name: string, state: string): Promise<void> {
    const is = controller.result?.attachments[name]?.state;
    if (is !== state) failures.push(`${name} is ${is}, not ${state}`);
  }
}

function show(result: ResultDocument, say: Say): void {
  for (const [name, a] of Object.entries(result.attachments)) {
    const back =
      a.readBack === null
        ? ''
        : `, read back: ${a.readBack.mode} ${a.readBack.nativeVLAN ?? '-'} [${a.readBack.allowedVLANs.join(',')}]`;
    say(
      `  result    ${name}: ${a.state}${a.reason === 'Applied' ? '' : ` (${a.reason})`}${a.state === 'applied' ? back : ''}`,
    );
  }
}
