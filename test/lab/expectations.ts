import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { unseal } from '../../agent/store/envelope.ts';
import { type State, stateSchema } from '../../agent/store/state.ts';
import type { LabAgent } from './agent.ts';
import type { Lab } from './lab.ts';
import type { Truth } from './truth.ts';
import { carriesOf, type PortFacts, wantedOf } from './truth-check.ts';

const NETWORKS = { inspection: 900, cleaning: 900 };
const IDLE: PortFacts = { carries: '4000u', up: true };

/** What the agent has stored. @throws Error when it cannot be read. */
export function storedState(agent: LabAgent): State {
  const opened = unseal(readFileSync(join(agent.stateDir, 'state.json')));
  if (opened.kind !== 'ok') throw new Error(`the stored state cannot be read: ${JSON.stringify(opened)}`);
  return stateSchema.parse(opened.data);
}

/** Every port of the switch, by ovs-vsctl and the kernel. */
export async function readSwitch(lab: Lab): Promise<Record<string, PortFacts>> {
  const list = [
    '--format=json',
    '--columns=name,vlan_mode,tag,trunks,external_ids',
    'list',
    'port',
    ...lab.switchPorts,
  ];
  const rows = (JSON.parse(await lab.ovs(list)) as { data: [string, unknown, unknown, unknown, unknown][] }).data;
  const links = JSON.parse(await lab.must('tor', ['ip', '-j', 'link', 'show'])) as {
    ifname: string;
    mtu: number;
    flags: string[];
  }[];
  const members = (value: unknown): unknown[] =>
    Array.isArray(value) && (value[0] === 'set' || value[0] === 'map') ? (value[1] as unknown[]) : [value];
  return Object.fromEntries(
    rows.map(([name, mode, tag, trunks, ids]) => {
      const link = links.find((l) => l.ifname === name);
      const columns = {
        mode: (members(mode)[0] as string | undefined) ?? null,
        tag: (members(tag)[0] as number | undefined) ?? null,
        trunks: members(trunks) as number[],
      };
      const description = new Map(members(ids) as [string, string][]).get('description') ?? '';
      return [
        name,
        { carries: carriesOf(columns), description, mtu: link?.mtu ?? 0, up: link?.flags.includes('UP') ?? false },
      ];
    }),
  );
}

/** What every port must be like when exactly these attachments are in force, on a switch that was reset before. */
export function wantedSwitch(lab: Lab, attachments: Readonly<Record<string, unknown>>): Record<string, PortFacts> {
  const before = { mtu: 1500, description: '' };
  const wanted: Record<string, PortFacts> = Object.fromEntries(
    lab.switchPorts.map((port): [string, PortFacts] => [port, { ...before, ...IDLE }]),
  );
  for (const attachment of Object.values(attachments)) {
    const { port } = attachment as { port: { portId: string } };
    wanted[port.portId] = { ...before, ...wantedOf(attachment, NETWORKS) };
  }
  return wanted;
}

/** Resolves when every port is exactly as {@link wantedSwitch} says. @throws Error after `timeoutMs`. */
export async function switchBecomes(
  lab: Lab,
  attachments: Readonly<Record<string, unknown>>,
  timeoutMs = 30_000,
): Promise<void> {
  const wanted = wantedSwitch(lab, attachments);
  for (const deadline = Date.now() + timeoutMs; ; ) {
    const is = await readSwitch(lab);
    if (isDeepStrictEqual(is, wanted)) return;
    if (Date.now() > deadline)
      throw new Error(`after ${timeoutMs} ms the switch is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
    await lab.must('tor', ['sleep', '0.1']);
  }
}

/** What ports let pass that no document asked for and that is not the idle network either. */
export async function neverAsked(truth: Truth, agent: LabAgent, since: number): Promise<string[]> {
  const asked = new Map<string, Set<string>>();
  for (const { attachments } of agent.published) {
    for (const attachment of Object.values(attachments)) {
      const { portId } = (attachment as { port: { portId: string } }).port;
      asked.set(portId, (asked.get(portId) ?? new Set()).add(wantedOf(attachment, NETWORKS).carries ?? ''));
    }
  }
  return [...(await truth.everCarried(since))].flatMap(([port, carried]) =>
    [...carried].filter((c) => c !== IDLE.carries && !asked.get(port)?.has(c)).map((c) => `${port}: ${c}`),
  );
}
