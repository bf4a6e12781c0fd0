import type { PlanDocument } from '../../agent/model/command.ts';
import type {
  AgentDocument,
  EventDocument,
  NeighborRow,
  NeighborsDocument,
  PortRow,
  PortsDocument,
  ResultDocument,
  SwitchSummary,
} from '../../agent/model/report.ts';
import type { AgentControl, AgentReader, IntentsView, PortView, StatusView } from '../../agent/model/views.ts';

/** The time of every document here. */
export const NOW = '2026-03-04T12:00:00.000Z';
const EARLIER = '2026-03-04T11:57:00.000Z';

/** What a hostile host says of itself: colours, cursor moves, a title change, reordering, invisible and stacked characters. */
export const HOSTILE =
  '\u001b[31mevil\u001b]0;pwned\u0007\u202egnp.exe\u200b\u009b2J e\u0301\u0302\u0303\u0304\u0305\u0306\r\nNEXT';

const ACTUAL: PortRow['actual'] = {
  mode: 'access',
  nativeVLAN: 10,
  allowedVLANs: [],
  extraUntaggedVLANs: [],
  mtu: 1500,
  adminState: 'up',
  description: '',
};

export function portRow(name: string, more: Partial<PortRow> = {}): PortRow {
  return {
    name,
    aliases: [],
    ifIndex: 1,
    kind: 'physical',
    adminState: 'up',
    operState: 'up',
    speedMbps: 25_000,
    macAddress: '02:00:00:00:00:01',
    lag: null,
    problem: null,
    actual: ACTUAL,
    managed: true,
    protected: null,
    claimedBy: null,
    network: null,
    wanted: null,
    inSync: null,
    reason: null,
    message: '',
    ...more,
  };
}

const inSync = (name: string, owner: string): PortRow =>
  portRow(name, {
    claimedBy: owner,
    wanted: { mode: 'access', nativeVLAN: 10, allowedVLANs: [], mtu: null, adminState: 'up', description: null },
    inSync: true,
    reason: 'Applied',
  });

/** 52 ports: in sync, wrong, idle, protected, unmanaged, leaking, with long and hostile texts. */
export function tor1Ports(): PortRow[] {
  const rows = Array.from({ length: 48 }, (_, i) => inSync(`swp${i + 1}`, `metal3/worker-${i + 1}/eno1`));
  rows[2] = portRow('swp3', {
    aliases: ['Ethernet1/3', 'Eth1/3'],
    claimedBy: 'metal3/worker-3-with-a-very-long-name-that-never-ends.rack1.example/eno1',
    network: 'inspection',
    actual: { ...ACTUAL, mode: 'trunk', nativeVLAN: 1, allowedVLANs: ['2-4094'], description: HOSTILE },
    wanted: {
      mode: 'trunk',
      nativeVLAN: 100,
      allowedVLANs: [200, '300-310'],
      mtu: 9000,
      adminState: 'up',
      description: 'worker-3 eno1',
    },
    inSync: false,
    reason: 'VerifyFailed',
    message: 'allowed VLANs read back as 2-4094 instead of 200,300-310; the port was put back',
  });
  rows[3] = portRow('swp4', {
    adminState: 'down',
    operState: 'down',
    speedMbps: null,
    actual: { ...ACTUAL, mode: 'other', extraUntaggedVLANs: [7] },
    reason: null,
    problem: 'err-disabled (bpduguard)',
  });
  rows[4] = portRow('swp5', { operState: 'lowerLayerDown', network: 'idle', managed: true });
  rows[5] = portRow('swp6', { managed: false, operState: 'notPresent' });
  rows.push(
    portRow('GigabitEthernet1/0/49.a-name-longer-than-any-column', {
      protected: 'carries the way to the switch itself',
      managed: false,
    }),
    portRow('swp50', {
      actual: { ...ACTUAL, mode: 'hybrid', allowedVLANs: Array.from({ length: 200 }, (_, i) => 2 * i + 2) },
    }),
    portRow('端口五十一', { actual: { ...ACTUAL, description: '機櫃' } }),
    portRow('swp52', { managed: false, kind: 'lag', lag: 'bond0' }),
  );
  return rows;
}

export const NEIGHBORS: NeighborRow[] = [
  {
    port: 'swp3',
    chassisId: { subtype: 'mac', value: 'aa:bb:cc:dd:ee:03' },
    portId: { subtype: 'ifname', value: 'eno1' },
    systemName: HOSTILE,
    systemDescription: `Linux ${'x'.repeat(240)}`,
    portDescription: 'eno1',
    capabilities: ['station'],
    managementAddresses: ['192.0.2.3', '2001:db8::3'],
    ttlSeconds: 120,
  },
  {
    port: '端口五十一',
    chassisId: { subtype: 'local', value: '서버-오십일-번-아주-긴-이름-입니다-그렇습니다' },
    portId: { subtype: 'local', value: '網路介面卡一號' },
    systemName: '主機五十一號機櫃三排四列很長的名字',
    systemDescription: '',
    portDescription: '',
    capabilities: [],
    managementAddresses: [],
    ttlSeconds: null,
  },
];

const summary = (more: Partial<SwitchSummary> = {}): SwitchSummary => ({
  driver: 'open-vswitch',
  reachability: 'reachable',
  since: EARLIER,
  reason: null,
  message: '',
  vendor: 'Open vSwitch',
  model: 'vswitch',
  version: '3.1.0',
  serial: null,
  chassisId: '02:00:00:00:00:01',
  systemName: 'tor1',
  notPersisted: false,
  capabilities: {
    modes: ['access', 'trunk', 'hybrid'],
    nativeVlanOnTrunk: true,
    mtu: { min: 68, max: 9216 },
    descriptionLength: 200,
    adminState: true,
    lag: false,
  },
  ...more,
});

export function resultDocument(more: Partial<ResultDocument> = {}): ResultDocument {
  return {
    rack: 'r1',
    publisher: 'metal3',
    revision: 42,
    state: 'failed',
    reason: 'VerifyFailed',
    message: 'worker-3/eno1: reads back differently',
    rejectedRevision: null,
    errors: [],
    attachments: {
      'worker-1/eno1': {
        state: 'applied',
        reason: 'Applied',
        message: '',
        switch: 'tor1',
        port: 'swp1',
        changedAt: EARLIER,
        verifiedAt: NOW,
        readBack: ACTUAL,
      },
      'worker-3/eno1': {
        state: 'failed',
        reason: 'VerifyFailed',
        message: 'allowed VLANs read back as 2-4094; the port was put back',
        switch: 'tor1',
        port: 'swp3',
        changedAt: null,
        verifiedAt: null,
        readBack: null,
      },
      'worker-9/eno1': {
        state: 'rejected',
        reason: 'PortUnknown',
        message: `no port "${'p'.repeat(60)}"`,
        switch: 'tor1',
        port: null,
        changedAt: null,
        verifiedAt: null,
        readBack: null,
      },
    },
    counts: { pending: 0, applied: 1, held: 0, failed: 1, rejected: 1, withdrawing: 0 },
    updatedAt: NOW,
    ...more,
  };
}

export function event(sequence: number, more: Partial<EventDocument> = {}): EventDocument {
  return {
    rack: 'r1',
    sequence,
    time: NOW,
    kind: 'link-up',
    switch: 'tor1',
    port: 'swp3',
    publisher: null,
    attachment: null,
    message: `event ${sequence}`,
    ...more,
  };
}

export const PLAN: PlanDocument = {
  changes: [
    {
      switch: 'tor1',
      port: 'swp3',
      for: 'metal3/worker-3/eno1',
      differences: [{ field: 'native VLAN', from: '10', to: '20' }],
      commands: ['interface swp3', 'switchport access vlan 20'],
    },
    {
      switch: 'tor1',
      port: 'swp4',
      for: null,
      differences: [
        { field: 'mode', from: 'trunk', to: 'access' },
        { field: 'allowed VLANs', from: '1-4094', to: '' },
      ],
      commands: ['interface swp4', 'switchport mode access'],
    },
  ],
  createVLANs: [{ switch: 'tor1', id: 20, commands: ['vlan 20'] }],
  deleteVLANs: [{ switch: 'tor2', id: 30, commands: ['no vlan 30'] }],
  refused: [{ attachment: 'metal3/worker-9/eno1', reason: 'PortUnknown', message: 'no such port' }],
  unknownSwitches: ['tor2'],
  writes: false,
};

/** What a fake agent says; a test changes what it is about. */
export class FakeReader implements AgentReader {
  agent: AgentDocument = {
    rack: 'r1',
    state: 'online',
    incarnation: 3,
    version: '0.1.0',
    startedAt: EARLIER,
    mode: 'manage',
    switches: {
      tor1: summary(),
      tor2: summary({
        reachability: 'unreachable',
        reason: 'SwitchUnreachable',
        message: '192.0.2.12: no route to host',
        systemName: null,
      }),
    },
    health: [
      {
        code: 'ConfigRefused',
        severity: 'warning',
        message: 'the changed configuration is not valid; the old one stays',
        fix: 'portkeeper config check',
        since: EARLIER,
      },
    ],
  };
  ring: EventDocument[] = [event(1), event(2, { kind: 'neighbor-changed', message: `now ${HOSTILE}` })];
  plans: PlanDocument = PLAN;
  result: ResultDocument = resultDocument();
  rows: PortRow[] = tor1Ports();
  attention: StatusView['attention'] = [
    {
      switch: 'tor1',
      port: 'swp3',
      reason: 'VerifyFailed',
      message: 'allowed VLANs read back as 2-4094 instead of 200,300-310',
      fix: 'See `portkeeper port NAME`.',
    },
    ...Array.from({ length: 48 }, (_, i) => ({
      switch: 'tor2',
      port: `swp${i + 1}`,
      reason: 'SwitchUnreachable',
      message: 'not proven',
      fix: 'Check the switch.',
    })),
    {
      switch: '',
      port: '',
      reason: 'SwitchUnknown',
      message: 'metal3/worker-8/eno1: no switch "tor9"',
      fix: 'Correct switchId.',
    },
  ];
  readonly #listeners = new Set<(event: EventDocument) => void>();
  brokerConnected = false;

  status(): StatusView {
    return {
      agent: this.agent,
      broker: {
        url: 'mqtts://broker.example',
        connected: this.brokerConnected,
        since: EARLIER,
        message: this.brokerConnected ? '' : 'nothing listens there',
      },
      publishers: [
        {
          name: 'metal3',
          revision: this.result.revision,
          state: this.result.state,
          reason: this.result.reason,
          message: this.result.message,
          counts: this.result.counts,
        },
      ],
      switches: [
        {
          name: 'tor1',
          ageSeconds: 4,
          ports: 52,
          managed: 47,
          linkUp: 49,
          inSync: 44,
          outOfSync: this.rows.filter((r) => r.inSync === false).length,
        },
        {
          name: 'tor2',
          ageSeconds: this.agent.switches['tor2']?.reachability === 'reachable' ? 9 : null,
          ports: 0,
          managed: 0,
          linkUp: 0,
          inSync: 0,
          outOfSync: 0,
        },
      ],
      attention: this.attention,
      pid: 4711,
      now: NOW,
    };
  }

  ports(): PortsDocument[] {
    const vlans = [{ id: 10, name: 'tenants', ownedByAgent: true }];
    return [
      { rack: 'r1', switch: 'tor1', reachable: true, readAt: NOW, readFrom: null, ports: this.rows, vlans },
      {
        rack: 'r1',
        switch: 'tor2',
        reachable: false,
        readAt: null,
        readFrom: null,
        ports: [portRow('swp1')],
        vlans: [],
      },
    ];
  }

  port(name: string, switchName?: string): ReturnType<AgentReader['port']> {
    const [on, bare] = name.includes(':') ? [name.split(':')[0], name.split(':')[1]] : [switchName, name];
    const found = this.ports()
      .flatMap((t) =>
        t.ports.filter((r) => r.name === bare || r.aliases.includes(bare ?? '')).map((row) => ({ t, row })),
      )
      .filter((f) => on === undefined || f.t.switch === on);
    const first = found[0];
    if (!first) return { missing: `no port "${name}"` };
    if (found.length > 1)
      return { ambiguous: { candidates: found.map((f) => ({ switch: f.t.switch, port: f.row.name })) } };
    return { found: this.view(first.t, first.row) };
  }

  view(table: PortsDocument, row: PortRow): PortView {
    const bad = row.inSync === false;
    return {
      switch: table.switch,
      reachable: table.reachable,
      readAt: table.readAt,
      ageSeconds: table.readAt === null ? null : 4,
      port: row,
      wantedBy:
        row.claimedBy === null
          ? null
          : {
              publisher: 'metal3',
              attachment: row.claimedBy.slice(7),
              revision: 42,
              state: bad ? 'failed' : 'applied',
            },
      differences: bad
        ? [
            { field: 'native VLAN', from: '1', to: '100' },
            { field: 'allowed VLANs', from: '2-4094', to: '200,300-310' },
          ]
        : [],
      reason: row.reason,
      meaning: bad ? 'The switch took the commands but reads back differently; the port was put back.' : '',
      fix: bad ? 'Look for another program that writes to the switch.' : '',
      neighbors: NEIGHBORS.filter((n) => n.port === row.name),
      transcript: bad
        ? [{ command: 'switchport trunk allowed vlan 200,300-310', answer: `% Command rejected: ${HOSTILE}\nsee log` }]
        : [],
      history: this.ring.filter((e) => e.port === row.name).reverse(),
    };
  }

  neighbors(): NeighborsDocument[] {
    return [
      { rack: 'r1', switch: 'tor1', reachable: true, readAt: NOW, neighbors: NEIGHBORS },
      { rack: 'r1', switch: 'tor2', reachable: false, readAt: null, neighbors: [] },
    ];
  }

  intents(): IntentsView {
    return {
      publishers: [
        { name: 'metal3', acceptedAt: EARLIER, document: { revision: 42, attachments: {} }, result: this.result },
      ],
    };
  }

  plan(): PlanDocument {
    return this.plans;
  }

  events(after: number): EventDocument[] {
    return this.ring.filter((e) => e.sequence > after);
  }

  onEvent(listener: (event: EventDocument) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  emit(document: EventDocument): void {
    this.ring.push(document);
    for (const listener of this.#listeners) listener(document);
  }

  /** Everything as it should be. */
  heal(): this {
    this.agent = { ...this.agent, switches: { tor1: summary(), tor2: summary({ systemName: 'tor2' }) }, health: [] };
    this.rows = [inSync('swp1', 'metal3/worker-1/eno1'), portRow('swp2')];
    this.attention = [];
    this.brokerConnected = true;
    this.result = resultDocument({
      state: 'applied',
      reason: 'Applied',
      message: '',
      counts: { pending: 0, applied: 1, held: 0, failed: 0, rejected: 0, withdrawing: 0 },
    });
    this.plans = { changes: [], createVLANs: [], deleteVLANs: [], refused: [], unknownSwitches: [], writes: true };
    return this;
  }
}

/** Notes what was asked; answers as told. */
export class FakeControl implements AgentControl {
  readonly asked: string[] = [];
  answer: () => Promise<void> = async () => {};

  refresh(switchName?: string): Promise<void> {
    this.asked.push(`refresh ${switchName ?? '*'}`);
    return this.answer();
  }

  reconcile(switchName?: string): Promise<void> {
    this.asked.push(`reconcile ${switchName ?? '*'}`);
    return this.answer();
  }

  accept(switchName: string): Promise<void> {
    this.asked.push(`accept ${switchName}`);
    return this.answer();
  }
}
