import { normalizeMac } from '../model/mac.ts';
import type { LldpId, Neighbor } from '../model/neighbor.ts';
import { sanitizeText } from '../model/text.ts';

export interface LldpDetail {
  readonly neighbors: readonly Neighbor[];
  /**
   * False when there are more blocks than the switch counted: a neighbour sent text that looks like a block of its own, and
   * none of the blocks can be trusted. Ask for each port by itself then, and keep what is for that port.
   */
  readonly trusted: boolean;
}

/** Letters of IOS-like capability lists, as the switch's own legend explains them, in the words of IEEE 802.1AB. */
const CAPABILITIES: Readonly<Record<string, string>> = {
  R: 'router',
  B: 'bridge',
  T: 'telephone',
  C: 'docsis',
  W: 'wlan-ap',
  P: 'repeater',
  S: 'station',
  O: 'other',
};

/**
 * Reads IOS-like `show lldp neighbors detail`. Everything in it but the local port and the count at the end was sent by the
 * neighbour, line breaks included. Blocks without local port or chassis ID are left out.
 */
export function parseLldpDetail(text: string): LldpDetail {
  const neighbors: Neighbor[] = [];
  const blocks = text.split(/^Local Intf:[ \t]*/m).slice(1);
  for (const block of blocks) {
    const value = (key: string) => new RegExp(`^${key}[ \\t]*:[ \\t]*(.*)$`, 'm').exec(block)?.[1]?.trim() ?? '';
    const port = /^\S+/.exec(block)?.[0];
    const chassis = value('Chassis id');
    if (port === undefined || chassis === '') continue;
    const described = /^System Description:[ \t]*\n?([\s\S]*?)\n[ \t]*\nTime remaining/m.exec(block)?.[1] ?? '';
    const ttl = /^(\d{1,5})\b/.exec(value('Time remaining'))?.[1];
    neighbors.push({
      port,
      chassisId: lldpId(chassis),
      portId: lldpId(value('Port id')),
      systemName: sanitizeText(value('System Name')),
      systemDescription: sanitizeText(described.replace(/\s*\n\s*/g, ' ')),
      portDescription: sanitizeText(value('Port Description')),
      capabilities: capabilities(value('Enabled Capabilities')),
      managementAddresses: managementAddresses(block),
      ttlSeconds: ttl === undefined ? null : Number(ttl),
    });
  }
  const counted = [...text.matchAll(/^Total entries displayed:\s*(\d+)/gm)].at(-1)?.[1];
  return { neighbors, trusted: blocks.length === Number(counted ?? 0) };
}

/** The text form does not tell the subtype; only a MAC address is recognised. */
function lldpId(text: string): LldpId {
  const mac = normalizeMac(text);
  return mac === null ? { subtype: 'unknown', value: sanitizeText(text) } : { subtype: 'mac', value: mac };
}

function capabilities(letters: string): string[] {
  const words = letters.split(/[\s,]+/).map((letter) => CAPABILITIES[letter]);
  return [...new Set(words.filter((word) => word !== undefined))].sort();
}

function managementAddresses(block: string): string[] {
  const list = /^Management Addresses:.*\n((?:[ \t]+\S.*\n?)*)/m.exec(block)?.[1] ?? '';
  const found = [...list.matchAll(/^[ \t]+IP(?:v[46])?[ \t]*:[ \t]*([0-9a-fA-F.:]{2,45})[ \t]*$/gim)];
  return found.slice(0, 8).map((m) => m[1] ?? '');
}
