import type { DriverContext, SwitchSession, SwitchTarget } from '../driver.ts';
import { DriverError } from '../errors.ts';
import { objectIdOf } from '../mib/decode.ts';
import { enterpriseOf } from '../mib/enterprise.ts';
import { OID } from '../mib/oids.ts';
import { PRIVATE_VLAN_MIBS } from '../mib/vlan-readers.ts';
import { SnmpApplier } from './apply.ts';
import { BootWitness } from './boot-id.ts';
import { IdentityReader } from './identity.ts';
import { readLinkStates } from './link-state.ts';
import { readNeighbors } from './neighbors.ts';
import { readSwitch, type SnmpReading } from './read.ts';
import { save, saveMethodOf } from './save.ts';
import type { SnmpSession } from './session-types.ts';
import { refusalFor } from './write-guard.ts';

/** A switch that is read, and written, over one SNMP session. */
export function snmpSwitchSession(
  session: SnmpSession,
  target: Pick<SwitchTarget, 'options' | 'name'>,
  context: DriverContext,
): SwitchSession {
  const identity = new IdentityReader(session, new BootWitness(context.clock, context.knownBootId ?? null));
  let last: SnmpReading | null = null;

  async function read(): Promise<SnmpReading> {
    last = await readSwitch(session, { private: PRIVATE_VLAN_MIBS });
    for (const problem of last.problems) context.trace({ command: 'snmp read', answer: problem });
    return last;
  }

  async function enterprise(): Promise<number | null> {
    const [objectId] = await session.get([`${OID.sysObjectID}.0`]);
    return enterpriseOf(objectIdOf(objectId ?? undefined));
  }

  async function known(): Promise<SnmpReading> {
    return last ?? (await read());
  }

  return {
    get alive() {
      return session.alive;
    },
    identify: () => identity.read(),
    read,
    async neighbors() {
      const { ports, interfaces, bridge } = await known();
      const names = new Map(
        ports.flatMap((p): [number, string][] => (p.ifIndex === null ? [] : [[p.ifIndex, p.name]])),
      );
      const found = await readNeighbors(session, {
        interfaces: [...interfaces.values()],
        bridgePorts: bridge.ports,
        names,
      });
      for (const problem of found.problems) context.trace({ command: 'snmp read LLDP', answer: problem });
      return found.neighbors;
    },
    linkStates: (ifIndexes) => readLinkStates(session, ifIndexes),
    async apply(steps) {
      const { ports, bridge } = await known();
      const bridgePorts = new Map([...bridge.ports].map(([port, ifIndex]) => [ifIndex, port]));
      const place = (name: string) => {
        const ifIndex = ports.find((port) => port.name === name)?.ifIndex ?? null;
        return ifIndex === null ? null : { ifIndex, bridgePort: bridgePorts.get(ifIndex) ?? null };
      };
      const guard = { refusal: refusalFor(await enterprise()), bridgePorts: new Set(bridge.ports.keys()) };
      const applier = new SnmpApplier(session, place, guard);
      const results = await applier.run(steps);
      for (const { exchanges } of results) for (const exchange of exchanges) context.trace(exchange);
      return results;
    },
    async save() {
      const method = target.options['save'] === 'immediate' ? 'immediate' : saveMethodOf(await enterprise());
      await save(session, method, context.clock);
    },
    close: async () => session.close(),
  };
}

/** Without the SNMP settings nothing can be opened. */
export function snmpTargetOf(target: SwitchTarget): NonNullable<SwitchTarget['snmp']> {
  if (target.snmp === null || target.snmp === undefined)
    throw new DriverError(
      'auth',
      `${target.name}: the configuration has no "snmp" for this switch; give its version and credentials`,
    );
  return target.snmp;
}
