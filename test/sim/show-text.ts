const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** "10:23:45.123 UTC Mon Mar 1 2021"; without milliseconds when `millis` is false. */
export function fullTime(ms: number, millis: boolean): string {
  const d = new Date(ms);
  const time = d.toISOString().slice(11, millis ? 23 : 19);
  return `${time} UTC ${DAYS[d.getUTCDay()]} ${MONTHS[d.getUTCMonth()]} ${d.getUTCDate()} ${d.getUTCFullYear()}`;
}

/** "Mar  1 10:23:45.123", as log messages begin. */
export function logTime(ms: number): string {
  const d = new Date(ms);
  const day = String(d.getUTCDate()).padStart(2);
  return `${MONTHS[d.getUTCMonth()]} ${day} ${d.toISOString().slice(11, 23)}`;
}

/** "1 week, 2 days, 3 hours, 4 minutes". */
export function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const parts: [number, string][] = [
    [Math.floor(minutes / 10_080), 'week'],
    [Math.floor(minutes / 1440) % 7, 'day'],
    [Math.floor(minutes / 60) % 24, 'hour'],
    [minutes % 60, 'minute'],
  ];
  const from = parts.findIndex(([n]) => n > 0);
  const shown = parts.slice(from < 0 ? 3 : from);
  return shown.map(([n, unit]) => `${n} ${unit}${n === 1 ? '' : 's'}`).join(', ');
}

/** "1G", "25G", "100": a speed in Mbit/s as the tables have it. */
export function shortSpeed(mbps: number): string {
  return mbps >= 1000 && mbps % 1000 === 0 && mbps > 1000 ? `${mbps / 1000}G` : String(mbps);
}
