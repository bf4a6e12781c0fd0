/** The middle value; of an even number of values the mean of the two in the middle. Throws RangeError without values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const high = sorted[Math.floor(sorted.length / 2)];
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  if (high === undefined || low === undefined) throw new RangeError('nothing was measured');
  return (low + high) / 2;
}

/** Three significant digits: nothing here is known better. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
