import { ASPECTS, type Aspect } from './compare.ts';
import { reasons } from './exceptions.ts';
import { type Measured, told } from './measured.ts';

const HEAD = `# Switches read over SNMP

What the driver \`snmp\` reads of public device dumps of other projects (LibreNMS, snmpsim-data, Thola), served over UDP by an agent that
shares no code with it, against what LibreNMS or Thola itself makes of the same dump. Where nobody says what a dump means (\`*\`), a second
and simpler decoder of the tests stands in: that is less, since both are of one maker.

- \`N/M\`: N of M rows agree; empty: nothing to compare with. Every row counts, those that are known to disagree, too.
- ports: interfaces; of ports name, admin state, link, speed, MTU and MAC address. VLANs: ID and name. members: port, VLAN, tagged or
  not; rows that do not say which port are compared by their number. neighbours (LLDP): ours and their port.
- \`(+K)\`: K rows are read that the other side does not list. Looked for among VLANs, and in the members of ports with a mode.
- modes: ports of which the switch tells enough to say what they are; the others are \`other\`. A membership row may agree on such a
  port, too: the VLANs are known, but not that nothing else passes. It is never called \`applied\`.
- read from: the table that membership is from, and whether it shows what is configured or what operates now.

No switch of this table was written to.

| device | ports | VLANs | members | neighbours | modes | read from | what does not agree, and why |
|---|---|---|---|---|---|---|---|
`;

/** The page docs/snmp-devices.md. */
export function devicesPage(measured: readonly Measured[]): string {
  const sums = ASPECTS.map((aspect) => {
    const all = measured.map((m) => m.comparison[aspect]);
    return `${sum(all.map((a) => a.agree))}/${sum(all.map((a) => a.of))}`;
  });
  const modes = measured.map(({ reading }) => told(reading));
  const total = `| ${measured.length} devices | ${sums.join(' | ')} | ${sum(modes.map((m) => m.agree))}/${sum(modes.map((m) => m.of))} | | |`;
  return `${HEAD}${[...measured.map(line), total].join('\n')}\n`;
}

function line(measured: Measured): string {
  const { device, reading } = measured;
  const { source, basis } = reading.vlanSource ?? { source: 'none', basis: null };
  const modes = told(reading);
  const cells = [
    `${device.platform} ${device.name}${device.judge === 'own' ? ' `*`' : ''}`,
    ...ASPECTS.map((aspect) => cell(measured, aspect)),
    `${modes.agree}/${modes.of}`,
    basis === null ? source : `${source}, ${basis}`,
    reasons(device.name).join('; '),
  ];
  return `| ${cells.join(' | ')} |`;
}

function cell({ comparison }: Measured, aspect: Aspect): string {
  const { agree, of, beyond } = comparison[aspect];
  const counted = of === 0 ? '' : `${agree}/${of}`;
  return beyond.length === 0 ? counted : `${counted} (+${beyond.length})`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
