import { applySteps } from '../cli/apply-steps.ts';
import { lldpNeighbors } from '../cli/lldp.ts';
import { openShell } from '../cli/open-shell.ts';
import { lineOptionProblems, lineOptions } from '../cli/options.ts';
import type { Capabilities, Driver, SwitchReading, SwitchSession, SwitchTarget } from '../driver.ts';
import { DriverError } from '../errors.ts';
import { sanitizeText } from '../model/text.ts';
import { unsavedChanges } from '../text/ios-config.ts';
import type { PromptShell } from '../transport/prompt.ts';
import { cannotExpress, DESCRIPTION_LENGTH, MTU, renderChanges } from './commands.ts';
import { DEFINITION, LINES } from './definition.ts';
import { parsePorts, parseVersion, parseVlans } from './parse.ts';

/** Writing the start-up configuration takes a real switch 2 to 60 s. */
const SAVE_TIMEOUT_MS = 120_000;

const CAPABILITIES: Capabilities = {
  modes: ['access', 'trunk', 'hybrid'],
  nativeVlanOnTrunk: true,
  hybridPortType: false,
  mtu: MTU,
  descriptionLength: DESCRIPTION_LENGTH,
  adminState: true,
  lag: false,
  vlanObjects: true,
  save: true,
  absoluteWrites: false,
};

/** The simulated top-of-rack switch: an IOS-like command line over SSH. For the demo, tests and fault injection. */
export const sim: Driver = {
  name: 'sim',
  capabilities: CAPABILITIES,
  checkOptions: (options) => lineOptionProblems('sim', ['parkingVlan'], options),
  unsupported: (config, options) => cannotExpress(config, lineOptions(options)),
  render: (changes, options) => renderChanges(changes, lineOptions(options)),
  open: async (target, context) => {
    // Takes the privileged mode, so it is not part of the set-up.
    const prepare = (shell: PromptShell) => shell.send('terminal no monitor');
    const { shell, close } = await openShell(DEFINITION, target, context, 'enable', prepare);
    return session(shell, target, close);
  },
};

function session(shell: PromptShell, target: SwitchTarget, close: () => Promise<void>): SwitchSession {
  async function show(command: string, untrusted = false): Promise<string> {
    await shell.toMode('enable');
    return (await shell.send(command, { expectMode: 'enable', untrusted })).output;
  }

  async function read(): Promise<SwitchReading> {
    const running = await show('show running-config');
    const interfaces = await show('show interfaces');
    const vlans = parseVlans(await show('show vlan brief'));
    return { ports: parsePorts(running, interfaces, target.host), vlans, unsaved: unsavedChanges(running) };
  }

  return {
    get alive() {
      return shell.alive;
    },
    identify: async () => parseVersion(await show('show version'), shell.hostname),
    read,
    neighbors: () => lldpNeighbors(show, async () => (await read()).ports),
    async apply(steps) {
      const results = await applySteps(shell, steps, LINES);
      await shell.toMode('enable');
      return results;
    },
    async save() {
      await shell.toMode('enable');
      const command = 'write memory';
      const { output } = await shell.send(command, { expectMode: 'enable', timeoutMs: SAVE_TIMEOUT_MS });
      if (!/^\s*\[OK\]\s*$/m.test(output))
        throw new DriverError('rejected', `the switch did not confirm "${command}": ${sanitizeText(output, 200)}`, {
          command,
          answer: output,
        });
    },
    close,
  };
}
