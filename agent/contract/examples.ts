import type { TopicKind } from '../mqtt/topics.ts';
import type { JsonObject } from './json-schemas.ts';

const applied = {
  state: 'applied',
  reason: 'Applied',
  message: 'tor1 swp7 is untagged in VLAN 100.',
  switch: 'tor1',
  port: 'swp7',
  changedAt: '2026-03-01T09:00:02.120Z',
  verifiedAt: '2026-03-01T09:00:31.480Z',
  readBack: {
    mode: 'access',
    nativeVLAN: 100,
    allowedVLANs: [],
    extraUntaggedVLANs: [],
    mtu: 1500,
    adminState: 'up',
    description: 'worker-2 eno1',
  },
};

/** A document for every topic, as the contract's files and documentation show it. A test holds them to the schemas. */
export const EXAMPLES: Readonly<Record<TopicKind, { readonly name: string; readonly document: JsonObject }>> = {
  intent: {
    name: 'two hosts',
    document: {
      revision: 42,
      attachments: {
        'worker-1/eno1': {
          port: { switchId: 'tor1', portId: 'Ethernet1/2/3' },
          switchport: { mode: 'trunk', nativeVLAN: 100, allowedVLANs: [200, '300-310'], mtu: 9000 },
          adminState: 'up',
          description: 'worker-1 eno1',
          expectedNeighbor: { macAddress: 'aa:bb:cc:dd:ee:01' },
        },
        'worker-2/eno1': { port: { switchId: '00:11:22:33:44:55', portId: 'swp7' }, network: 'inspection' },
      },
    },
  },
  command: {
    name: 'read a switch now',
    document: {
      command: 'refresh',
      switch: 'tor1',
      requestId: 'req-17',
      responseTopic: 'portkeeper/v1/rack-a1/response/ironic/req-17',
    },
  },
  agent: {
    name: 'offline, as the Last Will says it',
    document: {
      rack: 'rack-a1',
      state: 'offline',
      incarnation: 7,
      version: null,
      startedAt: null,
      mode: null,
      switches: {},
      health: [],
    },
  },
  result: {
    name: 'one port applied',
    document: {
      rack: 'rack-a1',
      publisher: 'ironic',
      revision: 42,
      state: 'applied',
      reason: 'Applied',
      message: '1 attachment, all applied.',
      rejectedRevision: null,
      errors: [],
      attachments: { 'worker-2/eno1': applied },
      counts: { pending: 0, applied: 1, held: 0, failed: 0, rejected: 0, withdrawing: 0 },
      updatedAt: '2026-03-01T09:00:31.480Z',
    },
  },
  ports: {
    name: 'a switch with one port',
    document: {
      rack: 'rack-a1',
      switch: 'tor1',
      reachable: true,
      readAt: '2026-03-01T09:00:31.480Z',
      readFrom: null,
      ports: [
        {
          name: 'swp7',
          aliases: [],
          ifIndex: 9,
          kind: 'physical',
          adminState: 'up',
          operState: 'up',
          speedMbps: 25000,
          macAddress: '00:11:22:33:44:5c',
          lag: null,
          problem: null,
          actual: applied.readBack,
          managed: true,
          protected: null,
          claimedBy: 'ironic/worker-2/eno1',
          network: 'inspection',
          wanted: {
            mode: 'access',
            nativeVLAN: 100,
            allowedVLANs: [],
            mtu: null,
            adminState: 'up',
            description: null,
          },
          inSync: true,
          reason: 'Applied',
          message: 'As wanted.',
        },
      ],
      vlans: [{ id: 100, name: 'inspection', ownedByAgent: false }],
    },
  },
  neighbors: {
    name: 'one host',
    document: {
      rack: 'rack-a1',
      switch: 'tor1',
      reachable: true,
      readAt: '2026-03-01T09:00:31.480Z',
      neighbors: [
        {
          port: 'swp7',
          chassisId: { subtype: 'mac', value: 'aa:bb:cc:dd:ee:00' },
          portId: { subtype: 'mac', value: 'aa:bb:cc:dd:ee:01' },
          systemName: 'worker-2',
          systemDescription: 'Debian GNU/Linux 12',
          portDescription: 'eno1',
          capabilities: ['station'],
          managementAddresses: ['192.0.2.17'],
          ttlSeconds: 120,
        },
      ],
    },
  },
  event: {
    name: 'a port was changed',
    document: {
      rack: 'rack-a1',
      sequence: 1204,
      time: '2026-03-01T09:00:02.120Z',
      kind: 'applied',
      switch: 'tor1',
      port: 'swp7',
      publisher: 'ironic',
      attachment: 'worker-2/eno1',
      message: 'tor1 swp7 is untagged in VLAN 100.',
    },
  },
  response: {
    name: 'done',
    document: {
      rack: 'rack-a1',
      requestId: 'req-17',
      command: 'refresh',
      ok: true,
      reason: null,
      message: 'tor1 was read.',
      errors: [],
      plan: null,
    },
  },
};
