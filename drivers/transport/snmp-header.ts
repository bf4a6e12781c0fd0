/**
 * msgAuthoritativeEngineID of an SNMPv3 message (RFC 3412, section 6; RFC 3414, section 2.4), read without looking at anything
 * else, so that a message of a stranger costs no key derivation. null: not SNMPv3, or not well-formed up to there.
 */
export function peekEngineId(message: Uint8Array): Uint8Array | null {
  const whole = element(message, 0, 0x30);
  const version = whole && element(message, whole.from, 0x02);
  if (!version || version.to - version.from !== 1 || message[version.from] !== 3) return null;
  const global = element(message, version.to, 0x30);
  const security = global && element(message, global.to, 0x04);
  const parameters = security && element(message, security.from, 0x30);
  const engineId = parameters && element(message, parameters.from, 0x04);
  return engineId ? message.subarray(engineId.from, engineId.to) : null;
}

/** True for an SNMPv3 message, as far as its version field tells. */
export function isVersion3(message: Uint8Array): boolean {
  const whole = element(message, 0, 0x30);
  const version = whole && element(message, whole.from, 0x02);
  return version !== null && version.to - version.from === 1 && message[version.from] === 3;
}

/** auth and priv of msgFlags (RFC 3412, section 6.4). */
const AUTH_PRIV = 0x03;
const REPORT_PDU = 0xa8;

/**
 * Whether an answer may be believed by somebody who asks with authentication and privacy: it has both, or is a Report, which an
 * engine sends in the clear when it does not know us yet (RFC 3414, section 3.2), and which carries no values of ours.
 */
export function isSecureAnswer(message: Uint8Array): boolean {
  if (!isVersion3(message)) return false;
  const whole = element(message, 0, 0x30);
  const version = whole && element(message, whole.from, 0x02);
  const global = version && element(message, version.to, 0x30);
  const id = global && element(message, global.from, 0x02);
  const size = id && element(message, id.to, 0x02);
  const flags = size && element(message, size.to, 0x04);
  if (!global || !flags || flags.to - flags.from !== 1) return false;
  if (((message[flags.from] ?? 0) & AUTH_PRIV) === AUTH_PRIV) return true;
  const security = element(message, global.to, 0x04);
  const scoped = security && element(message, security.to, 0x30);
  const engineId = scoped && element(message, scoped.from, 0x04);
  const context = engineId && element(message, engineId.to, 0x04);
  return context !== null && message[context.to] === REPORT_PDU;
}

/** Where the content of the element with this tag lies; null when there is none at `at`. BER, definite lengths up to 3 octets. */
function element(bytes: Uint8Array, at: number, tag: number): { from: number; to: number } | null {
  if (bytes[at] !== tag) return null;
  const first = bytes[at + 1];
  if (first === undefined) return null;
  let from = at + 2;
  let length = first;
  if (first >= 0x80) {
    const octets = first & 0x7f;
    if (octets === 0 || octets > 3) return null;
    length = 0;
    for (let i = 0; i < octets; i++) length = length * 256 + (bytes[from + i] ?? Number.NaN);
    from += octets;
  }
  const to = from + length;
  return to <= bytes.length ? { from, to } : null;
}
