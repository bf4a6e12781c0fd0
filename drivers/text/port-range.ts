/** Most ports that one range may name; a longer one is a mistake. */
export const MAX_RANGE = 4096;

/**
 * What is wrong with a name or range of ports, as a sentence; null when nothing is. A check of syntax only: whether a port
 * exists is known when the switch has been read.
 */
export function portPatternProblem(pattern: string): string | null {
  const range = parseRange(pattern);
  if (range === null) return pattern.trim() === '' ? 'a port name must not be empty' : null;
  if ('problem' in range) return range.problem;
  return null;
}

interface PortRange {
  readonly stem: string;
  readonly from: number;
  readonly to: number;
  /** Digits of a number with leading zeros ("port01"); 0: written without. */
  readonly width: number;
}

/** Every name that a range stands for, in order; null when the pattern is a plain name or a wrong range. */
export function rangeNames(pattern: string): string[] | null {
  const range = parseRange(pattern);
  if (range === null || 'problem' in range) return null;
  const { stem, from, to, width } = range;
  return Array.from({ length: to - from + 1 }, (_, i) => stem + String(from + i).padStart(width, '0'));
}

/** Null: not a range, but a name that has a dash or none. */
function parseRange(pattern: string): PortRange | { readonly problem: string } | null {
  const parts = pattern.split('-');
  const splits = parts.slice(1).map((_, i) => ({
    left: parts
      .slice(0, i + 1)
      .join('-')
      .trim(),
    right: parts
      .slice(i + 1)
      .join('-')
      .trim(),
  }));
  // The end written out in full is the surer sign of where the range is split: "a1-1-a1-3" is a1-1 to a1-3.
  for (const { left, right } of splits) {
    const range = sameShape(left, right, pattern);
    if (range !== null && !/^[\d/:.]+$/.test(right)) return range;
  }
  for (const { left, right } of splits) {
    if (!/^\d[\d/:.]*$/.test(right)) continue;
    // "Ethernet1/1-48", and "Ethernet1/1/1-1/1/4": the end repeats only the last numbers of the name.
    const position = /\d[\d/:.]*$/.exec(left)?.[0];
    if (position === undefined) continue;
    const tail = lastNumbers(position, right);
    if (tail !== null) return sameShape(tail, right, pattern, left.slice(0, left.length - tail.length));
  }
  return null;
}

/** The end of `position` that has as many numbers, with the same separators, as `like`. */
function lastNumbers(position: string, like: string): string | null {
  for (let at = 0; at < position.length; at++) {
    const startsNumber = at === 0 || !/\d/.test(position[at - 1] ?? '');
    const tail = position.slice(at);
    if (startsNumber && shapeOf(tail) === shapeOf(like)) return tail;
  }
  return null;
}

function shapeOf(name: string): string {
  return name.toLowerCase().replace(/\d+/g, '#').replace(/\s+/g, '');
}

/** The range between two names that differ in their last number only; null when they are not of one shape. */
function sameShape(left: string, right: string, pattern: string, stem = ''): PortRange | { problem: string } | null {
  if (shapeOf(left) !== shapeOf(right) || !/\d$/.test(left)) return null;
  const shown = `"${pattern.slice(0, 80)}"`;
  const first = left.match(/\d+/g) ?? [];
  const last = right.match(/\d+/g) ?? [];
  if (first.slice(0, -1).some((n, i) => Number(n) !== Number(last[i])))
    return { problem: `${shown}: only the last number of a range may vary; write one range for each group` };
  const [low, high] = [first.at(-1) ?? '', last.at(-1) ?? ''];
  const [from, to] = [Number(low), Number(high)];
  if (from > to) return { problem: `${shown} is reversed: the range ends before it starts` };
  if (to - from >= MAX_RANGE) return { problem: `${shown} stands for more than ${MAX_RANGE} ports` };
  const width = low.length > 1 && low.startsWith('0') ? low.length : 0;
  return { stem: stem + left.slice(0, left.length - low.length), from, to, width };
}
