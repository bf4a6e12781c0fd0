import { REASONS } from '../model/reasons.ts';
import { TOPICS } from '../mqtt/topics.ts';

/** The topics as a Markdown table, for docs/contract.md. */
export function topicsTable(): string {
  const rows = Object.values(TOPICS).map(({ pattern, direction, qos, retain, meaning }) => [
    `\`${pattern}\``,
    direction === 'in' ? 'to the agent' : 'from the agent',
    String(qos),
    retain ? 'yes' : 'no',
    meaning,
  ]);
  return table(['topic', 'direction', 'QoS', 'retained', 'meaning'], rows);
}

/** docs/reasons.md: every reason with its meaning and what to do. */
export function reasonsPage(): string {
  const rows = Object.entries(REASONS).map(([code, { meaning, fix }]) => [`\`${code}\``, meaning, fix]);
  return [
    '# Reasons',
    '',
    'Every `reason` that a result, an answer, the port table or the command line can carry. Codes are stable: they are only',
    'ever added. Made by `npm run generate`; do not edit.',
    '',
    table(['reason', 'what it means', 'what to do'], rows),
    '',
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
