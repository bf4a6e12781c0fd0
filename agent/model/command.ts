import * as z from 'zod';
import { publisherName } from './intent.ts';
import { REASON_CODES } from './reasons.ts';

const requestId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\x20-\x7e]+$/, 'printable ASCII');
const responseTopic = z
  .string()
  .min(1)
  .max(512)
  .regex(
    /^[^#+$\u0000-\u001f\u007f][^#+\u0000-\u001f\u007f]*$/,
    'a topic name without wildcards that does not start with "$"',
  );
const common = {
  requestId: requestId.optional().describe('Echoed in the answer; for MQTT 3.1.1, which has no correlation data.'),
  responseTopic: responseTopic.optional().describe('Where to answer; for MQTT 3.1.1. The MQTT 5 property wins.'),
};

/** Where a request wants its answer; read by itself when the rest of the request is wrong. */
export const addressSchema = z.object({
  requestId: requestId.optional().catch(undefined),
  responseTopic: responseTopic.optional().catch(undefined),
});

/** Shape of a request on `command`. */
export const commandSchema = z
  .discriminatedUnion('command', [
    z.strictObject({
      command: z.literal('plan'),
      publisher: publisherName.optional().describe('Whose document it would be.'),
      document: z
        .unknown()
        .optional()
        .describe('An intent document to plan for, without storing or applying it. Absent: the documents in force.'),
      ...common,
    }),
    z.strictObject({ command: z.literal('refresh'), switch: z.string().max(64).optional(), ...common }),
    z.strictObject({ command: z.literal('reconcile'), switch: z.string().max(64).optional(), ...common }),
    z.strictObject({ command: z.literal('ping'), ...common }),
  ])
  .meta({ id: 'CommandDocument', title: 'A request to the agent' });

export const planChange = z
  .strictObject({
    switch: z.string(),
    port: z.string(),
    for: z.string().nullable().describe('publisher/attachment; null: no attachment, the port goes to idle.'),
    differences: z.array(z.strictObject({ field: z.string(), from: z.string(), to: z.string() })),
    commands: z.array(z.string()).describe('Exactly what would be sent.'),
  })
  .meta({ id: 'PlanChange' });

export const planSchema = z
  .strictObject({
    changes: z.array(planChange),
    createVLANs: z.array(z.strictObject({ switch: z.string(), id: z.int(), commands: z.array(z.string()) })),
    deleteVLANs: z.array(z.strictObject({ switch: z.string(), id: z.int(), commands: z.array(z.string()) })),
    refused: z.array(z.strictObject({ attachment: z.string(), reason: z.enum(REASON_CODES), message: z.string() })),
    unknownSwitches: z
      .array(z.string())
      .describe('Switches that have not been read yet, so that nothing can be said of them.'),
    writes: z.boolean().describe('false: mode observe, nothing of this would be sent.'),
  })
  .meta({ id: 'PlanDocument' });

export const responseSchema = z
  .strictObject({
    rack: z.string(),
    requestId: z.string().nullable(),
    command: z.string().nullable(),
    ok: z.boolean(),
    reason: z.enum(REASON_CODES).nullable(),
    message: z.string(),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })),
    plan: planSchema.nullable(),
  })
  .meta({ id: 'ResponseDocument', title: 'Answer to a request' });

export type CommandDocument = z.infer<typeof commandSchema>;
export type ResponseDocument = z.infer<typeof responseSchema>;
export type PlanDocument = z.infer<typeof planSchema>;
