import type {
  Driver,
  DriverContext,
  LinkState,
  StepResult,
  SwitchReading,
  SwitchSession,
  SwitchTarget,
} from '../driver.ts';
import { DriverError } from '../errors.ts';
import type { PortState } from '../model/port.ts';
import { configured } from '../model/switchport.ts';
import { VlanSet } from '../model/vlan-set.ts';
import { matchPorts } from './port-match.ts';

/** What is used of the other way to read the switch. */
export type Reader = Pick<SwitchSession, 'identify' | 'read' | 'neighbors' | 'linkStates' | 'alive' | 'close'>;
export type OpenReader = (target: SwitchTarget, context: DriverContext) => Promise<Reader>;

/** Milliseconds after which the configuration is read by the driver itself, also when the reader has seen no change. */
const READ_EVERY_MS = 600_000;

/**
 * A driver whose switch is watched by another, cheaper way (SNMP) and written by its own. What the driver itself has read stays in
 * force while the watching side sees nothing change; any change there, any write, and ten minutes lead to a new reading by the
 * driver. So what is planned from, and what `applied` is said of, is always the driver's own reading of the configuration. A port
 * that is not the same beyond doubt on both sides is shown as `other` and never written.
 */
export function mixed(driver: Driver, openReader: OpenReader): Driver {
  return {
    ...driver,
    open: async (target, context) => {
      const writer = await driver.open(target, context);
      try {
        return mixedSession(writer, await openReader(target, context), context);
      } catch (error) {
        await writer.close();
        throw error;
      }
    },
  };
}

function mixedSession(writer: SwitchSession, reader: Reader, context: DriverContext): SwitchSession {
  let known: { readonly reading: SwitchReading; readonly seen: string; readonly at: number } | null = null;
  /** Name by the reader to name by the driver. */
  let names: ReadonlyMap<string, string> = new Map();
  let refused: ReadonlyMap<string, string> = new Map();

  async function read(): Promise<SwitchReading> {
    const watched = await reader.read();
    const seen = configurationOf(watched);
    const now = context.clock.monotonic();
    if (known === null || known.seen !== seen || now - known.at > READ_EVERY_MS)
      known = { reading: await writer.read(), seen, at: now };
    const matches = matchPorts(known.reading.ports, watched.ports);
    names = new Map([...matches.pairs].map(([own, other]) => [other, own]));
    refused = matches.refused;
    const links = new Map(watched.ports.map((port) => [port.name, port]));
    const ports = known.reading.ports.map((port): PortState => {
      const why = refused.get(port.name);
      if (why !== undefined) return unmatched(port, why);
      const link = links.get(matches.pairs.get(port.name) ?? '');
      if (link === undefined) return port;
      return { ...port, ifIndex: link.ifIndex, operState: link.operState, speedMbps: link.speedMbps };
    });
    return { ...known.reading, ports };
  }

  return {
    get alive() {
      return writer.alive && reader.alive;
    },
    async identify() {
      const [own, other] = [await writer.identify(), await reader.identify()];
      for (const what of ['serial', 'chassisId'] as const)
        if (own[what] !== null && other[what] !== null && own[what] !== other[what])
          throw new DriverError(
            'host-key',
            `two switches answer: ${what === 'serial' ? 'serial number' : 'chassis ID'} ${own[what]} over SSH, ${other[what]} over SNMP; correct the address`,
          );
      return {
        ...own,
        serial: own.serial ?? other.serial,
        chassisId: own.chassisId ?? other.chassisId,
        bootId: own.bootId ?? other.bootId,
      };
    },
    read,
    async neighbors() {
      if (known === null) await read();
      return (await reader.neighbors()).flatMap((n) => {
        const port = names.get(n.port);
        return port === undefined ? [] : [{ ...n, port }];
      });
    },
    ...(reader.linkStates === undefined
      ? {}
      : {
          linkStates: (ifIndexes: readonly number[]): Promise<readonly LinkState[]> =>
            reader.linkStates?.(ifIndexes) ?? Promise.resolve([]),
        }),
    async apply(steps) {
      known = null;
      const refusal = (subject: string) =>
        new DriverError(
          'unsupported',
          `port ${subject}: it cannot be told which port it is over SNMP: ${refused.get(subject)}`,
          {
            port: subject,
          },
        );
      const isRefused = (step: (typeof steps)[number]) => step.kind === 'port' && refused.has(step.subject);
      const done = await writer.apply(steps.filter((step) => !isRefused(step)));
      return steps.flatMap((step): StepResult[] =>
        isRefused(step)
          ? [{ step, error: refusal(step.subject), exchanges: [] }]
          : done.filter((result) => result.step === step),
      );
    },
    ...(writer.tentative === undefined ? {} : { tentative: writer.tentative }),
    save: () => writer.save(),
    async close() {
      await writer.close();
      await reader.close();
    },
  };
}

function unmatched(port: PortState, why: string): PortState {
  const detail = `not told apart over SNMP: ${why}`.slice(0, 160);
  return { ...port, switchport: configured('other', null, VlanSet.EMPTY, VlanSet.EMPTY, detail) };
}

/** Everything that somebody may have configured, as the reader sees it; equal texts mean that nothing changed. */
function configurationOf({ ports, vlans }: SwitchReading): string {
  const of = (p: PortState) => {
    const { mode, nativeVlan, taggedVlans, extraUntaggedVlans, detail } = p.switchport;
    return [
      p.name,
      p.adminState,
      p.mtu,
      p.description,
      p.lag,
      mode,
      nativeVlan,
      taggedVlans.toString(),
      extraUntaggedVlans.toString(),
      detail,
    ];
  };
  return JSON.stringify([ports.map(of), vlans.map((v) => [v.id, v.name])]);
}
