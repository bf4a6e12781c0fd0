import type { Driver } from '../../drivers/driver.ts';
import { DriverError } from '../../drivers/errors.ts';
import { OID } from '../../drivers/mib/oids.ts';
import { VlanSet } from '../../drivers/model/vlan-set.ts';
import { snmp } from '../../drivers/snmp/index.ts';
import { snmpSwitchSession } from '../../drivers/snmp/session.ts';
import type { SnmpSession } from '../../drivers/snmp/session-types.ts';
import { QBridgeModel, type Quirks } from '../drivers/snmp/q-bridge-model.ts';
import { sshTarget } from '../support/ssh-target.ts';
import type { ConformanceSwitch, StartState, WatchedState } from './subject.ts';
import { conformance } from './suite.ts';

const PORTS = 6;
const ALL = Array.from({ length: 4094 }, (_, i) => i + 1);

function makeModel(quirks: Quirks): QBridgeModel {
  const model = new QBridgeModel(PORTS, [1, 10, 20, 30, 31, 40], quirks);
  const text = (oid: string, value: string) =>
    model.values.set(oid, { oid, type: 'OctetString', value: Buffer.from(value) });
  text('1.3.6.1.2.1.1.1.0', 'A switch, version 1.2');
  text('1.3.6.1.2.1.1.5.0', 'tor');
  model.values.set(`${OID.sysObjectID}.0`, {
    oid: `${OID.sysObjectID}.0`,
    type: 'ObjectIdentifier',
    value: '1.3.6.1.4.1.11.2.3',
  });
  model.values.set(`${OID.sysUpTime}.0`, { oid: `${OID.sysUpTime}.0`, type: 'TimeTicks', value: 4_711 });
  for (let port = 1; port <= PORTS; port++) {
    text(`${OID.ifName}.${100 + port}`, `ge${port}`);
    text(`${OID.ifDescr}.${100 + port}`, `port ${port}`);
    text(`${OID.ifAlias}.${100 + port}`, '');
    model.put(OID.ifType, 100 + port, 6);
    model.put(OID.ifOperStatus, 100 + port, 1);
    model.put(OID.dot1dBasePortIfIndex, port, 100 + port);
    model.put(OID.dot1qPortIngressFiltering, port, 1);
    model.place(port, 1, []);
  }
  return model;
}

/** One of several sessions with the model. */
function sessionOn(model: QBridgeModel): SnmpSession {
  let alive = true;
  const use = <T>(work: () => Promise<T>): Promise<T> =>
    alive ? work() : Promise.reject(new DriverError('unreachable', 'the session is closed'));
  return {
    get: (oids) => use(() => model.get(oids)),
    walk: (columns) => use(() => model.walk(columns)),
    set: (values) => use(() => model.set(values)),
    inContext: () => sessionOn(model),
    get stats() {
      return model.stats;
    },
    get alive() {
      return alive;
    },
    close() {
      alive = false;
    },
  };
}

/** The driver on a model in memory: everything but the packets. */
function subject(quirks: Quirks) {
  let model = makeModel(quirks);
  const driver: Driver = {
    ...snmp,
    open: async (target, context) => {
      return snmpSwitchSession(sessionOn(model), target, context);
    },
  };
  const numberOf = (name: string) => Number(name.slice(2));
  async function start(): Promise<ConformanceSwitch> {
    model = makeModel(quirks);
    const listeners = new Set<(after: string) => void>();
    const set = model.set.bind(model);
    model.set = async (values) => {
      await set(values);
      for (const listener of listeners) listener(values.map((v) => v.oid).join(' '));
    };
    const carried = (name: string) => new Set([...model.carried(numberOf(name))].filter((pair) => !pair.endsWith('i')));
    return {
      target: {
        ...sshTarget({ address: { host: '127.0.0.1', port: 161 }, hostKeyFingerprint: '' }),
        options: { save: 'immediate' },
      },
      ports: Array.from({ length: PORTS }, (_, i) => `ge${i + 1}`),
      async reset(name, state) {
        reset(model, numberOf(name), state);
      },
      carried: async (name) => carried(name),
      async watch(name) {
        const seen: WatchedState[] = [];
        const listener = (after: string) => seen.push({ after, carried: carried(name) });
        listeners.add(listener);
        return async () => {
          listeners.delete(listener);
          return seen;
        };
      },
      stop: async () => {},
    };
  }
  return { driver, startModes: ['access', 'trunk', 'junk'] as const, ghost: 'ge99', start };
}

function reset(model: QBridgeModel, port: number, { switchport: sw, shut, description }: StartState): void {
  if (!model.vlans().includes(4000)) model.create(4000);
  model.put(OID.ifAdminStatus, 100 + port, shut ? 2 : 1);
  model.put(OID.ifOperStatus, 100 + port, shut ? 2 : 1);
  const alias = `${OID.ifAlias}.${100 + port}`;
  model.values.set(alias, { oid: alias, type: 'OctetString', value: Buffer.from(description ?? '') });
  if (sw.mode !== 'trunk') {
    model.place(port, sw.mode === 'access' ? sw.vlan : 31, sw.mode === 'access' ? [] : [10, 20, 40]);
    return;
  }
  const allowed = sw.allowed === 'all' ? ALL : VlanSet.parse(sw.allowed).ids();
  const there = allowed.filter((id) => model.vlans().includes(id));
  const native = there.includes(sw.native) ? sw.native : null;
  model.place(
    port,
    native,
    there.filter((id) => id !== native),
  );
}

conformance('snmp', subject({}));
conformance(
  'snmp, on an agent that takes two values and wants membership before the PVID',
  subject({ maxValues: 2, memberFirst: true }),
);
