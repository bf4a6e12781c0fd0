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
