import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { applyCandidate } from '../cli/candidate.ts';
import { openShell } from '../cli/open-shell.ts';
import { lineOptionProblems, lineOptions } from '../cli/options.ts';
import type { Capabilities, Driver, SwitchSession, SwitchTarget } from '../driver.ts';
import { DriverError } from '../errors.ts';
import { sanitizeText } from '../model/text.ts';
import { readJson } from '../text/json.ts';
import { parseEosLldp } from '../text/lldp-json.ts';
import type { PromptShell } from '../transport/prompt.ts';
import { cannotExpress, DESCRIPTION_LENGTH, renderChanges } from './commands.ts';
import { DEFINITION, LINES } from './definition.ts';
import { parsePorts, parseVersion, parseVlans } from './parse.ts';

const SAVE_TIMEOUT_MS = 120_000;
/** How long the switch waits for the confirmation of a change before it undoes it. */
const COMMIT_TIMER = '00:05:00';
/** Beginning of the names of our sessions; the prompt shows six characters of a name. */
const OURS = 'pk';
const LLDP = 'show lldp neighbors detail | json';
const SESSIONS = 'show configuration sessions detail | json';

const CAPABILITIES: Capabilities = {
  modes: ['access', 'trunk', 'hybrid'],
  nativeVlanOnTrunk: true,
  hybridPortType: false,
  mtu: null,
  descriptionLength: DESCRIPTION_LENGTH,
  adminState: true,
  lag: false,
  vlanObjects: true,
  save: true,
  absoluteWrites: false,
};

/** Arista EOS over SSH: JSON for reading, a named configuration session with a commit timer for each change. */
export const aristaEos: Driver = {
  name: 'arista-eos',
  capabilities: CAPABILITIES,
  checkOptions: (options) => lineOptionProblems('arista-eos', ['edgePort', 'parkingVlan'], options),
  unsupported: (config, options) => cannotExpress(config, lineOptions(options)),
  render: (changes, options) => renderChanges(changes, lineOptions(options)),
  open: async (target, context) => {
    const { shell, close } = await openShell(DEFINITION, target, context, 'enable', undoLeftovers);
    return session(shell, target, close);
  },
};

const sessionsSchema = z.object({
  sessions: z.record(z.string(), z.object({ state: z.string().default('') })).default({}),
  /** EOS 4.32 and later: the session whose timer runs is called `committed`, and stands here. */
  commitTimerSessionName: z.string().default(''),
});

/** Our sessions that are pending, or committed under a timer: what is there of a run of the agent that ended in the middle. */
async function undoLeftovers(shell: PromptShell): Promise<void> {
  for (const { name } of (await listSessions(shell)).filter(({ open, name: n }) => open && n.startsWith(`${OURS}-`)))
    await exec(shell, `configure session ${name} abort`);
}

async function listSessions(shell: PromptShell): Promise<{ name: string; open: boolean; timed: boolean }[]> {
  const { sessions, commitTimerSessionName } = readJson(sessionsSchema, await exec(shell, SESSIONS), SESSIONS);
  return Object.entries(sessions)
    .filter(([name]) => /^[\w-]{1,64}$/.test(name))
    .map(([name, { state }]) => {
      const timed = state === 'pendingCommitTimer' || name === commitTimerSessionName;
      return { name, timed, open: timed || state === 'pending' };
    });
}

async function exec(shell: PromptShell, command: string, timeoutMs?: number): Promise<string> {
  await shell.toMode('enable');
  const options = timeoutMs === undefined ? {} : { timeoutMs };
  return (await shell.send(command, { expectMode: 'enable', ...options })).output;
}

function session(shell: PromptShell, target: SwitchTarget, close: () => Promise<void>): SwitchSession {
  /** The session whose timer runs. */
  let timed: string | null = null;
  let current = '';

  const candidate = {
    begin: async () => {
      await shell.toMode('enable');
      current = `${OURS}-${randomBytes(6).toString('hex')}`;
      await shell.send(`configure session ${current}`, { expectMode: 'session' });
    },
    discard: async () => {
      await shell.toMode('session');
      await shell.send('abort', { expectMode: 'enable' });
    },
    commit: async (last: boolean) => {
      await shell.toMode('session');
      await shell.send(last ? `commit timer ${COMMIT_TIMER}` : 'commit', {
        expectMode: 'enable',
        timeoutMs: SAVE_TIMEOUT_MS,
      });
      if (last) timed = current;
    },
  };

  return {
    get alive() {
      return shell.alive;
    },
    identify: async () => parseVersion(await exec(shell, 'show version | json'), shell.hostname),
    async read() {
      const running = await exec(shell, 'show running-config');
      const ports = parsePorts(running, await exec(shell, 'show interfaces | json'), target.host);
      return { ports, vlans: parseVlans(await exec(shell, 'show vlan | json')), unsaved: null };
    },
    neighbors: async () => parseEosLldp(await exec(shell, LLDP), LLDP),
    async apply(steps) {
      timed = null;
      const results = await applyCandidate(shell, steps, LINES, candidate);
      await shell.toMode('enable');
      return results;
    },
    tentative: {
      async confirm() {
        if (timed === null) return;
        const name = timed;
        timed = null;
        if (!(await listSessions(shell)).some((s) => s.name === name && s.timed))
          throw new DriverError('rejected', `the commit timer of ${name} is over, or somebody else has ended it`);
        await exec(shell, `configure session ${name} commit`);
        if ((await listSessions(shell)).some((s) => s.name === name && s.timed))
          throw new DriverError('rejected', `the switch did not confirm ${name}: its commit timer still runs`);
      },
      async undo() {
        if (timed === null) return;
        const name = timed;
        timed = null;
        await exec(shell, `configure session ${name} abort`, SAVE_TIMEOUT_MS);
      },
    },
    async save() {
      const output = await exec(shell, 'write memory', SAVE_TIMEOUT_MS);
      if (!/^Copy completed successfully\.\s*$/m.test(output))
        throw new DriverError('rejected', `the switch did not confirm "write memory": ${sanitizeText(output, 200)}`, {
          command: 'write memory',
          answer: output,
        });
    },
    close,
  };
}
