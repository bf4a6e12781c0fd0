/**
 * Prefixes that name the same kind of interface, as vendors print and accept them. Each row is one kind. Only spellings
 * that some switch really uses are listed: an abbreviation that is not here is not a match.
 */
const FAMILIES: readonly (readonly string[])[] = [
  ['fa', 'fas', 'fastethernet'],
  ['gi', 'gig', 'ge', 'gige', 'gigabitethernet'],
  ['tw', 'twogigabitethernet'],
  ['fi', 'fivegigabitethernet'],
  ['te', 'ten', 'xge', 'tengige', 'tengigabitethernet', 'ten-gigabitethernet', 'xgigabitethernet', '10ge'],
  ['twe', 'tf', 'twentyfivegige', 'twentyfivegigabitethernet', 'twenty-fivegige', '25ge'],
  ['fo', 'fge', 'fortygige', 'fortygigabitethernet', '40ge'],
  ['fif', 'fiftygige', 'fiftygigabitethernet', '50ge'],
  ['hu', 'hun', 'hge', 'hundredgige', 'hundredgigabitethernet', '100ge'],
  ['twohundredgige', 'twohundredgigabitethernet', '200ge'],
  ['fou', 'fh', 'fourhundredgige', 'fourhundredgigabitethernet', '400ge'],
  ['et', 'eth', 'ethernet'],
  ['po', 'port-channel', 'portchannel'],
  ['lag'],
  ['bagg', 'bridge-aggregation'],
  ['eth-trunk'],
  ['ma', 'management'],
];

const CANONICAL: ReadonlyMap<string, string> = new Map(
  FAMILIES.flatMap((family) => family.map((prefix): [string, string] => [prefix, family[family.length - 1] ?? prefix])),
);

/** Prefix (letters and dashes, or a speed such as "25GE"), then the position, which starts with a digit. */
const NAME = /^(\d+ge(?=\d)|[a-z][a-z-]*)\s*(\d[\d/.:a-z-]*)$/;

/**
 * One spelling for all spellings of a port name: "Gi1/0/1", "gigabitethernet 1/0/1" and "GigabitEthernet1/0/1" give the
 * same text. Null when the name has none of the known prefixes, and is therefore only ever matched as it is written.
 *
 * "eth0" is the management interface of Linux-based switches, never front-panel port 0, and so has no other spelling.
 */
export function canonicalPortName(name: string): string | null {
  const lower = name.trim().toLowerCase();
  const match = NAME.exec(lower);
  const family = match?.[1] === undefined ? undefined : CANONICAL.get(match[1]);
  return family === undefined || lower === 'eth0' ? null : `${family}${match?.[2] ?? ''}`;
}
