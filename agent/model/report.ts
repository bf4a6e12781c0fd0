import * as z from 'zod';
import { ATTACHMENT_STATES, REASON_CODES } from './reasons.ts';

/**
 * Shapes of everything the agent publishes. Each document has one shape: all keys are always there (null when there is
 * nothing to say) and lists are always arrays. Times are RFC 3339 in UTC.
 */
const time = z.iso.datetime().meta({ id: 'Time' });
const reason = z.enum(REASON_CODES).meta({ id: 'Reason' });
const vlanItems = z.array(z.union([z.int().min(1).max(4094), z.string()])).meta({
  id: 'VlanList',
  description: 'VLAN IDs; runs of three and more as "from-to".',
});
const nativeVlan = z.int().min(1).max(4094).nullable();

const actualPort = z
  .strictObject({
    mode: z.enum(['access', 'trunk', 'hybrid', 'routed', 'none', 'other']),
    nativeVLAN: nativeVlan,
    allowedVLANs: vlanItems,
    extraUntaggedVLANs: vlanItems.describe('VLANs that leave the port untagged besides nativeVLAN: a leak.'),
    mtu: z.int().nullable(),
    adminState: z.enum(['up', 'down']),
    description: z.string(),
  })
  .meta({ id: 'ReadBack', description: 'The configured state of the port as last read from the switch.' });

const wantedPort = z
  .strictObject({
    mode: z.enum(['access', 'trunk', 'hybrid']),
    nativeVLAN: nativeVlan,
    allowedVLANs: vlanItems,
    mtu: z.int().nullable(),
    adminState: z.enum(['up', 'down']),
    description: z.string().nullable(),
  })
  .meta({ id: 'Wanted', description: 'What the agent keeps the port at; null: left as it is.' });

const attachmentResult = z
  .strictObject({
    state: z.enum(ATTACHMENT_STATES),
    reason,
    message: z.string().describe('A sentence for a person.'),
    switch: z.string().nullable().describe('Configured name of the switch; null while unknown.'),
    port: z.string().nullable().describe('Name of the port on the switch; null while unknown.'),
    changedAt: time.nullable().describe('Last time the agent changed the port for this attachment.'),
    verifiedAt: time.nullable().describe('Last time the port was read and was as wanted.'),
    readBack: actualPort.nullable(),
  })
  .meta({ id: 'AttachmentResult' });

const documentError = z.strictObject({ path: z.string(), message: z.string() }).meta({ id: 'DocumentError' });

export const resultSchema = z
  .strictObject({
    rack: z.string(),
    publisher: z.string(),
    revision: z.int().nullable().describe('The revision in force; null before the first accepted document.'),
    state: z
      .enum(['applied', 'pending', 'failed', 'rejected'])
      .describe(
        'rejected: the last document was refused (see reason, rejectedRevision, errors) and the previous one stays in force. Otherwise pending while anything is still to be done (also withdrawals), then failed when an attachment failed, was rejected or is held, else applied.',
      ),
    reason,
    message: z.string(),
    rejectedRevision: z.int().nullable().describe('Revision of the refused document, when it could be read.'),
    errors: z.array(documentError).describe('What was wrong with the refused document.'),
    attachments: z.record(z.string(), attachmentResult),
    counts: z.strictObject(
      Object.fromEntries(ATTACHMENT_STATES.map((s) => [s, z.int()])) as Record<
        (typeof ATTACHMENT_STATES)[number],
        z.ZodInt
      >,
    ),
    updatedAt: time,
  })
  .meta({ id: 'ResultDocument', title: 'Portkeeper result document' });

const neighborId = z.strictObject({ subtype: z.string(), value: z.string() }).meta({ id: 'LldpId' });

const neighbor = z
  .strictObject({
    port: z.string(),
    chassisId: neighborId,
    portId: neighborId,
    systemName: z.string(),
    systemDescription: z.string(),
    portDescription: z.string(),
    capabilities: z.array(z.string()),
    managementAddresses: z.array(z.string()),
    ttlSeconds: z.int().nullable(),
  })
  .meta({ id: 'Neighbor', description: 'What the other side says of itself over LLDP: claims, cleaned and bounded.' });

const portRow = z
  .strictObject({
    name: z.string(),
    aliases: z.array(z.string()),
    ifIndex: z.int().nullable(),
    kind: z.enum(['physical', 'lag', 'other']),
    adminState: z.enum(['up', 'down']),
    operState: z.enum(['up', 'down', 'testing', 'unknown', 'dormant', 'notPresent', 'lowerLayerDown']),
    speedMbps: z.number().nullable(),
    macAddress: z.string().nullable(),
    lag: z.string().nullable(),
    problem: z.string().nullable(),
    actual: actualPort,
    managed: z.boolean(),
    protected: z.string().nullable().describe('Why the port is never written; null when it is not protected.'),
    claimedBy: z.string().nullable().describe('publisher/attachment that holds the port.'),
    network: z.string().nullable().describe('Provider network that the port is kept in.'),
    wanted: wantedPort.nullable().describe('null: the agent wants nothing of this port.'),
    inSync: z.boolean().nullable().describe('The port was read and is as wanted; null when nothing is wanted.'),
    reason: reason.nullable(),
    message: z.string(),
  })
  .meta({ id: 'PortRow' });

export const portsSchema = z
  .strictObject({
    rack: z.string(),
    switch: z.string(),
    reachable: z.boolean(),
    readAt: time.nullable().describe('When the switch was last read; null: never since the start.'),
    readFrom: z
      .string()
      .max(128)
      .nullable()
      .describe(
        'Where the VLANs of the ports were read, and whether that shows what is configured or what operates now; null: the configuration itself.',
      ),
    ports: z.array(portRow),
    vlans: z.array(z.strictObject({ id: z.int(), name: z.string(), ownedByAgent: z.boolean() })),
  })
  .meta({ id: 'PortsDocument', title: 'Port table of one switch' });

export const neighborsSchema = z
  .strictObject({
    rack: z.string(),
    switch: z.string(),
    reachable: z.boolean(),
    readAt: time.nullable(),
    neighbors: z.array(neighbor),
  })
  .meta({ id: 'NeighborsDocument', title: 'LLDP neighbours of one switch' });

const switchSummary = z
  .strictObject({
    driver: z.string(),
    reachability: z.enum(['reachable', 'unreachable', 'unknown']),
    since: time.nullable().describe('Since when it is reachable or not.'),
    reason: reason.nullable(),
    message: z.string(),
    vendor: z.string().nullable(),
    model: z.string().nullable(),
    version: z.string().nullable(),
    serial: z.string().nullable(),
    chassisId: z.string().nullable(),
    systemName: z.string().nullable(),
    notPersisted: z.boolean().describe('Changes are active but not yet in the start-up configuration.'),
    capabilities: z.strictObject({
      modes: z.array(z.enum(['access', 'trunk', 'hybrid'])),
      nativeVlanOnTrunk: z.boolean(),
      mtu: z.strictObject({ min: z.int(), max: z.int() }).nullable(),
      descriptionLength: z.int(),
      adminState: z.boolean(),
      lag: z.boolean(),
    }),
  })
  .meta({ id: 'SwitchSummary' });

export const healthItem = z
  .strictObject({
    code: z.string(),
    severity: z.enum(['info', 'warning', 'error']),
    message: z.string(),
    fix: z.string(),
    since: time,
  })
  .meta({ id: 'HealthItem' });

export const agentSchema = z
  .strictObject({
    rack: z.string(),
    state: z.enum(['online', 'offline']),
    incarnation: z
      .int()
      .describe(
        'Grows with every connection; a Last Will carries the one of its connection, so a late will is recognised.',
      ),
    version: z.string().nullable(),
    startedAt: time.nullable(),
    mode: z.enum(['observe', 'manage']).nullable(),
    switches: z.record(z.string(), switchSummary),
    health: z.array(healthItem),
  })
  .meta({ id: 'AgentDocument', title: 'Agent state; also the Last Will' });

export const EVENT_KINDS = [
  'agent-started',
  'intent-accepted',
  'intent-refused',
  'config-reloaded',
  'config-refused',
  'switch-reachable',
  'switch-unreachable',
  'switch-rebooted',
  'switch-changed',
  'switch-accepted',
  'link-up',
  'link-down',
  'neighbor-changed',
  'neighbor-mismatch',
  'drift',
  'applied',
  'failed',
  'held',
  'withdrawn',
  'saved',
  'vlan-created',
  'vlan-deleted',
] as const;

export const eventSchema = z
  .strictObject({
    rack: z.string(),
    sequence: z
      .int()
      .describe(
        'Grows by one with every event, over restarts too. A gap means that events were missed, or that the agent ended without a goodbye.',
      ),
    time,
    kind: z.enum(EVENT_KINDS),
    switch: z.string().nullable(),
    port: z.string().nullable(),
    publisher: z.string().nullable(),
    attachment: z.string().nullable(),
    message: z.string(),
  })
  .meta({ id: 'EventDocument', title: 'Something that happened' });

export type ResultDocument = z.infer<typeof resultSchema>;
export type AttachmentResult = z.infer<typeof attachmentResult>;
export type DocumentError = z.infer<typeof documentError>;
export type ReadBack = z.infer<typeof actualPort>;
export type WantedPort = z.infer<typeof wantedPort>;
export type PortRow = z.infer<typeof portRow>;
export type PortsDocument = z.infer<typeof portsSchema>;
export type NeighborsDocument = z.infer<typeof neighborsSchema>;
export type NeighborRow = z.infer<typeof neighbor>;
export type SwitchSummary = z.infer<typeof switchSummary>;
export type HealthItem = z.infer<typeof healthItem>;
export type AgentDocument = z.infer<typeof agentSchema>;
export type EventDocument = z.infer<typeof eventSchema>;
export type EventKind = (typeof EVENT_KINDS)[number];
