/**
 * Normalises a MAC address in any common notation (colon, dash, dotted quads, bare, single-digit octets) to lower-case
 * colon form. Returns null for anything else.
 */
export function normalizeMac(text: string): string | null {
  const trimmed = text.trim().toLowerCase();
  const octets = trimmed.split(/[:-]/);
  if (octets.length === 6 && octets.every((o) => /^[0-9a-f]{1,2}$/.test(o))) {
    return octets.map((o) => o.padStart(2, '0')).join(':');
  }
  const quads = trimmed.split(/[.:-]/);
  if (quads.length === 3 && quads.every((q) => /^[0-9a-f]{4}$/.test(q))) return colons(quads.join(''));
  return /^[0-9a-f]{12}$/.test(trimmed) ? colons(trimmed) : null;
}

function colons(hex: string): string {
  return (hex.match(/../g) ?? []).join(':');
}
