import * as z from 'zod';
import { attachmentSchema, intentSchema } from '../model/intent.ts';
import { REASON_CODES } from '../model/reasons.ts';
import { eventSchema } from '../model/report.ts';

/** Version of the stored document; raised together with a migration in migrate.ts. */
export const STATE_VERSION = 1;

const refused = z.strictObject({
  reason: z.enum(REASON_CODES),
  message: z.string(),
  revision: z.int().nullable(),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })),
  at: z.string(),
});

const publisherState = z.strictObject({
  /** null until the first document was accepted. */
  accepted: z
    .strictObject({
      revision: z.int(),
      /** SHA-256 of the canonical JSON; tells a repeat from a conflict. */
      digest: z.string(),
      at: z.string(),
      document: intentSchema,
      /** Claim order by attachment name: the lower number had the port first. */
      claims: z.record(z.string(), z.int()),
    })
    .nullable(),
  /** Attachments that are gone from the document and not yet gone from their port. */
  withdrawing: z.record(z.string(), z.strictObject({ attachment: attachmentSchema, at: z.string() })),
  refused: refused.nullable(),
});

const portState = z.strictObject({
  /** The agent has configured this port before; LLDP can then no longer protect it. */
  configured: z.boolean(),
  /** The bridge or router that was seen on it before that; null: none. */
  uplink: z.string().nullable(),
  /** What the port had before the agent set it; absent keys were never set by the agent. */
  original: z.strictObject({ mtu: z.int().nullable().optional(), description: z.string().optional() }),
  /** What the agent last proved on the port. */
  applied: z
    .strictObject({ target: z.string(), owner: z.string().nullable(), changedAt: z.string().nullable() })
    .nullable(),
});

const switchState = z.strictObject({
  identity: z
    .strictObject({
      serial: z.string().nullable(),
      chassisId: z.string().nullable(),
      systemName: z.string(),
      bootId: z.string().nullable(),
    })
    .nullable(),
  /** Host key pinned on first use; null when the configuration pins it. */
  hostKey: z.string().nullable(),
  /** VLANs that the agent made. `creating`: written down before it sends the command. */
  vlans: z.record(z.string(), z.enum(['creating', 'owned'])),
  ports: z.record(z.string(), portState),
  notPersisted: z.boolean(),
});

/** Everything the agent must remember. Secrets are not part of it. */
export const stateSchema = z.strictObject({
  version: z.literal(STATE_VERSION),
  rack: z.string(),
  /** No connection to the broker had this number or a higher one; raised in blocks. */
  incarnation: z.int(),
  /** No event has a number at or above this; raised in blocks, so that not every event costs a write. */
  eventCeiling: z.int(),
  claimCounter: z.int(),
  publishers: z.record(z.string(), publisherState),
  switches: z.record(z.string(), switchState),
  /** The newest events, oldest first. */
  history: z.array(eventSchema),
});

export type State = z.infer<typeof stateSchema>;
export type PublisherState = z.infer<typeof publisherState>;
export type SwitchStoreState = z.infer<typeof switchState>;
export type PortStoreState = z.infer<typeof portState>;
export type Refusal = z.infer<typeof refused>;

export function emptyState(rack: string): State {
  return {
    version: STATE_VERSION,
    rack,
    incarnation: 0,
    eventCeiling: 0,
    claimCounter: 0,
    publishers: {},
    switches: {},
    history: [],
  };
}

export const emptySwitch: SwitchStoreState = {
  identity: null,
  hostKey: null,
  vlans: {},
  ports: {},
  notPersisted: false,
};
export const emptyPort: PortStoreState = { configured: false, uplink: null, original: {}, applied: null };
