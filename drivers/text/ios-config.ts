import { normalizeMac } from '../model/mac.ts';
import { sanitizeText } from '../model/text.ts';

/** The `interface` sections of an IOS-like running configuration: name to lines, without their indent. */
export function interfaceSections(running: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let lines: string[] | null = null;
  for (const line of running.split('\n')) {
    const name = /^interface (\S+)\s*$/.exec(line)?.[1];
    if (name !== undefined) {
      lines = [];
      sections.set(name, lines);
    } else if (/^\s+\S/.test(line)) lines?.push(line.trim());
    else lines = null;
  }
  return sections;
}

/**
 * Whether there are unsaved changes, by the times at the head of the running configuration, which count whole seconds and
 * are in the switch's own time zone; null when they do not tell.
 */
export function unsavedChanges(running: string): boolean | null {
  const time = (words: string) => {
    const found = new RegExp(`^! ${words} at (\\d\\d:\\d\\d:\\d\\d) \\w+ \\w{3} (\\w{3} \\d+ \\d{4})`, 'm').exec(
      running,
    );
    return found ? Date.parse(`${found[2]} ${found[1]} UTC`) : Number.NaN;
  };
  const [changed, saved] = [time('Last configuration change'), time('NVRAM config last updated')];
  return changed > saved ? true : changed < saved ? false : null;
}

/** What `show interfaces` says of one interface. */
export interface InterfaceState {
  readonly up: boolean;
  readonly macAddress: string | null;
  readonly speedMbps: number | null;
  readonly problem: string | null;
}

/** Reads `show interfaces`: name to state. */
export function interfaceStates(text: string): Map<string, InterfaceState> {
  const states = new Map<string, InterfaceState>();
  for (const block of text.split(/\n(?=\S)/)) {
    const head = /^(\S+) is (.+?), line protocol is (\w+)(?: \((.+?)\))?/.exec(block);
    if (!head?.[1]) continue;
    const up = head[2] === 'up' && head[3] === 'up';
    const speed = /([\d.]+) ?([MG])b\/s/.exec(block);
    const bandwidth = /\bBW (\d+) Kbit/.exec(block)?.[1];
    const measured = speed
      ? Number(speed[1]) * (speed[2] === 'G' ? 1000 : 1)
      : bandwidth
        ? Number(bandwidth) / 1000
        : null;
    const word = head[4] ?? '';
    states.set(head[1], {
      up,
      macAddress: normalizeMac(/\baddress is ([0-9a-f.:]+)/i.exec(block)?.[1] ?? ''),
      speedMbps: up ? measured : null,
      problem: /err-?disabled|suspended|inactive|faulty/i.test(word) ? sanitizeText(word, 64) : null,
    });
  }
  return states;
}
