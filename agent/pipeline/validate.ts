import type { z } from 'zod';
import { sanitizeText } from '../../drivers/model/text.ts';
import { VlanSet, VlanSyntaxError } from '../../drivers/model/vlan-set.ts';
import {
  type Attachment,
  INTENT_LIMITS,
  type IntentDocument,
  type IntentSwitchport,
  intentSchema,
  type PortRef,
} from '../model/intent.ts';
import { formatPath } from '../model/path.ts';
import type { DocumentError } from '../model/report.ts';

/** At most this many errors are reported of one document. */
const MAX_ERRORS = 50;

export type Validated =
  | { readonly ok: true; readonly document: IntentDocument }
  | { readonly ok: false; readonly errors: DocumentError[] };

/**
 * Checks a parsed intent document whole: its shape, and the meaning that needs nothing but the document itself. Every
 * error names its path. Pure; never throws.
 */
export function validateIntent(value: unknown): Validated {
  const parsed = intentSchema.safeParse(value);
  if (!parsed.success) return { ok: false, errors: describeIssues(parsed.error.issues) };
  const errors: DocumentError[] = [];
  const names = Object.keys(parsed.data.attachments);
  if (names.length > INTENT_LIMITS.attachments) {
    errors.push({
      path: 'attachments',
      message: `${names.length} attachments; at most ${INTENT_LIMITS.attachments} are allowed`,
    });
  }
  const ports = new Map<string, string>();
  for (const name of names) {
    const attachment = parsed.data.attachments[name];
    if (attachment) checkAttachment(name, attachment, ports, errors);
  }
  if (errors.length > 0) return { ok: false, errors: errors.slice(0, MAX_ERRORS) };
  return { ok: true, document: parsed.data };
}

/** Turns zod issues into the contract's errors; unions are reported by the branch that fits the value's type. */
export function describeIssues(issues: readonly z.core.$ZodIssue[]): DocumentError[] {
  return issues
    .slice(0, MAX_ERRORS)
    .map((issue) => ({ path: formatPath(issue.path), message: sanitizeText(issueText(issue), 300) }));
}

function issueText(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown key ${issue.keys
        .slice(0, 5)
        .map((k) => JSON.stringify(sanitizeText(k, 60)))
        .join(', ')}`;
    case 'invalid_union':
      return 'neither a VLAN ID from 1 to 4094 nor a "from-to" range of them';
    case 'invalid_key':
      return `name not allowed: ${issue.issues.map((i) => i.message).join('; ')}`;
    default:
      return issue.message;
  }
}

function checkAttachment(
  name: string,
  attachment: Attachment,
  ports: Map<string, string>,
  errors: DocumentError[],
): void {
  const at = (...path: PropertyKey[]) => formatPath(['attachments', name, ...path]);
  if ((attachment.port === undefined) === (attachment.lag === undefined)) {
    errors.push({ path: at(), message: 'needs exactly one of "port" and "lag"' });
  }
  if (attachment.switchport === undefined && attachment.network === undefined) {
    errors.push({ path: at(), message: 'needs "switchport" or "network"' });
  }
  const refs: [PortRef, string][] = attachment.port ? [[attachment.port, at('port')]] : [];
  attachment.lag?.members.forEach((member, i) => {
    refs.push([member, at('lag', 'members', i)]);
  });
  for (const [ref, path] of refs) {
    const key = `${ref.switchId.toLowerCase()} ${ref.portId.toLowerCase()}`;
    const other = ports.get(key);
    if (other !== undefined) errors.push({ path, message: `the same port as in ${other}` });
    else ports.set(key, path);
  }
  const { expectedNeighbor } = attachment;
  if (expectedNeighbor && Object.keys(expectedNeighbor).length === 0) {
    errors.push({
      path: at('expectedNeighbor'),
      message: 'is empty; give macAddress, chassisId, portId or systemName',
    });
  }
  if (attachment.switchport) checkSwitchport(attachment.switchport, (...p) => at('switchport', ...p), errors);
}

/** Rules between the keys of a switchport; shared with the provider networks of the configuration. */
export function checkSwitchport(
  port: Pick<IntentSwitchport, 'mode' | 'nativeVLAN' | 'allowedVLANs'>,
  at: (...path: PropertyKey[]) => string,
  errors: DocumentError[],
): void {
  if (port.mode !== 'trunk' && port.nativeVLAN === undefined) {
    errors.push({ path: at('nativeVLAN'), message: `is required for mode ${port.mode}` });
  }
  if (port.mode === 'access') {
    if (port.allowedVLANs && port.allowedVLANs.length > 0) {
      errors.push({
        path: at('allowedVLANs'),
        message: 'must be absent or empty for mode access, which carries only nativeVLAN',
      });
    }
    return;
  }
  if (port.allowedVLANs === undefined) {
    errors.push({ path: at('allowedVLANs'), message: `is required for mode ${port.mode}; [] allows no tagged VLAN` });
    return;
  }
  try {
    const allowed = VlanSet.fromItems(port.allowedVLANs);
    if (allowed.isEmpty && port.nativeVLAN === undefined) {
      errors.push({
        path: at('allowedVLANs'),
        message: 'is empty and there is no nativeVLAN: the port would carry nothing; use adminState "down" for that',
      });
    }
  } catch (error) {
    if (!(error instanceof VlanSyntaxError)) throw error;
    errors.push({ path: at('allowedVLANs', error.index), message: error.message });
  }
}
