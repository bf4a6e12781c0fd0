import * as z from 'zod';

/** Limits of the contract; a document beyond them is refused whole (`TooLarge` or `Malformed`). */
export const INTENT_LIMITS = {
  /** Bytes of the MQTT payload. */
  documentBytes: 1_048_576,
  /** Nesting of objects and arrays. */
  depth: 16,
  attachments: 4096,
  vlanItems: 512,
} as const;

/** Printable ASCII without characters that a switch, shell or terminal could take for more than text. */
const SAFE_TEXT = /^[A-Za-z0-9 ._:,/@+=#()[\]-]*$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/;
/** Port names of the field: letters, digits and - . _ / : and blanks inside ("ethernet 1/1/1"). */
const PORT_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._:/ -]{0,62}[A-Za-z0-9])?$/;
const SWITCH_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._:-]{0,251}[A-Za-z0-9])?$/;

export const publisherName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, 'lower-case letters, digits and "-", at most 64')
  .meta({ id: 'PublisherName', description: 'Name of a publisher: the last level of its intent topic.' });

export const networkName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/, 'lower-case letters, digits, "-" and "_", at most 64');

const vlanId = z.int().min(1).max(4094).meta({ id: 'VlanId', description: 'VLAN ID, 1 to 4094 (IEEE 802.1Q).' });

const vlanRange = z
  .string()
  .max(9)
  .regex(/^[0-9]{1,4}(-[0-9]{1,4})?$/, '"from-to" with VLAN IDs 1 to 4094')
  .meta({ id: 'VlanRange', description: 'A "from-to" range of VLAN IDs, both included; from must not exceed to.' });

const switchportSchema = z
  .strictObject({
    mode: z
      .enum(['access', 'trunk', 'hybrid'])
      .describe(
        'access: untagged in nativeVLAN only. trunk: tagged in allowedVLANs, untagged in nativeVLAN when given. hybrid: a trunk that has a native VLAN.',
      ),
    nativeVLAN: vlanId.optional().describe('VLAN of untagged frames. Required for access and hybrid.'),
    allowedVLANs: z
      .array(z.union([vlanId, vlanRange]))
      .max(INTENT_LIMITS.vlanItems)
      .optional()
      .describe('Exact list of tagged VLANs; required for trunk and hybrid, absent or empty for access.'),
    mtu: z.int().min(68).max(65_535).optional().describe('Layer 2 MTU in bytes as the switch counts it.'),
  })
  .meta({ id: 'Switchport' });

const portRef = z
  .strictObject({
    switchId: z
      .string()
      .regex(SWITCH_ID, 'a switch name, chassis MAC or system name')
      .describe('Configured name, chassis MAC or system name of the switch.'),
    portId: z
      .string()
      .regex(PORT_NAME, 'a port name as the switch uses it')
      .describe('Any name that the switch itself uses for the port, long or short.'),
  })
  .meta({ id: 'PortRef' });

const lagSchema = z
  .strictObject({
    name: z.string().regex(NAME, 'letters, digits and . _ : / @ -, at most 128'),
    aggregationMode: z.enum(['lacp', 'static']),
    members: z.array(portRef).min(1).max(16),
  })
  .meta({ id: 'Lag' });

const expectedNeighborSchema = z
  .strictObject({
    macAddress: z.string().max(64).regex(SAFE_TEXT).optional(),
    chassisId: z.string().max(255).regex(SAFE_TEXT).optional(),
    portId: z.string().max(255).regex(SAFE_TEXT).optional(),
    systemName: z.string().max(255).regex(SAFE_TEXT).optional(),
  })
  .meta({
    id: 'ExpectedNeighbor',
    description: 'Who LLDP should show on the port; every key given must match one neighbour.',
  });

export const attachmentSchema = z
  .strictObject({
    port: portRef.optional(),
    lag: lagSchema.optional(),
    switchport: switchportSchema.optional(),
    network: networkName.optional().describe('A provider network of this rack, by name.'),
    adminState: z.enum(['up', 'down']).optional().describe('Default: up.'),
    description: z
      .string()
      .max(200)
      .regex(SAFE_TEXT, 'printable ASCII without quotes, backslash, $ ; & | < > ? ! * ~ ^ % { }')
      .optional(),
    expectedNeighbor: expectedNeighborSchema.optional(),
  })
  .meta({ id: 'Attachment' });

export const attachmentName = z
  .string()
  .regex(NAME, 'letters, digits and . _ : / @ -, at most 128, starting with a letter or digit');

/** Shape of `intent/<publisher>`: the publisher's whole desired state for this rack. Meaning is checked in pipeline/validate.ts. */
export const intentSchema = z
  .strictObject({
    revision: z.int().min(0).max(Number.MAX_SAFE_INTEGER).describe('Only grows, per publisher.'),
    attachments: z.record(attachmentName, attachmentSchema),
  })
  .meta({ id: 'IntentDocument', title: 'Portkeeper intent document' });

export type IntentDocument = z.infer<typeof intentSchema>;
export type Attachment = z.infer<typeof attachmentSchema>;
export type PortRef = z.infer<typeof portRef>;
export type IntentSwitchport = z.infer<typeof switchportSchema>;
export type ExpectedNeighbor = z.infer<typeof expectedNeighborSchema>;
