/**
 * The names that a person may have meant by `wanted`, best first: names that contain it or start like it, and names at
 * most a third of its length in edits away. Case does not matter.
 */
export function nearest(wanted: string, names: Iterable<string>, limit = 3): string[] {
  const target = wanted.toLowerCase().slice(0, MAX_LENGTH);
  if (target === '') return [];
  const allowed = Math.max(1, Math.floor(target.length / 3));
  const scored: { readonly name: string; readonly score: number }[] = [];
  for (const name of new Set(names)) {
    const candidate = name.toLowerCase().slice(0, MAX_LENGTH);
    const distance = editDistance(target, candidate);
    if (distance <= allowed) scored.push({ name, score: distance });
    else if (target.length >= 2 && candidate.includes(target)) scored.push({ name, score: allowed + 1 });
  }
  scored.sort((a, b) => a.score - b.score || a.name.length - b.name.length || (a.name < b.name ? -1 : 1));
  return scored.slice(0, limit).map((entry) => entry.name);
}

const MAX_LENGTH = 64;

/** Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`: optimal string alignment. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
