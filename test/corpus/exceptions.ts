import { ASPECTS, type Aspect, type Comparison } from './compare.ts';

/** Rows of one dump that do not agree, and why that is as it should be. */
export interface CorpusException {
  readonly device: string;
  readonly aspect: Aspect;
  /** `differ`: the oracle's row is not read so; `beyond`: what is read is no row of the oracle. */
  readonly kind: 'differ' | 'beyond';
  /** Which rows: matches the text of each, and of no other. */
  readonly rows: RegExp;
  readonly count: number;
  readonly why: string;
}

/** Every row that may disagree; any other fails, and one that no longer disagrees fails as well. */
export const EXCEPTIONS: readonly CorpusException[] = [
  {
    device: 'awplus_5.4.8-2',
    aspect: 'ports',
    kind: 'differ',
    rows: /: MAC null$/,
    count: 5,
    why: 'ifPhysAddress of five ports is the text "Data", which is no MAC address',
  },
  {
    device: 'arubaos-cx_10.06',
    aspect: 'ports',
    kind: 'differ',
    rows: /^eth0: admin up, oper unknown$/,
    count: 1,
    why: 'eth0, the management port, answers 0 to ifAdminStatus and ifOperStatus, which is no value of the MIB: its link is unknown, its mode `other`',
  },
  {
    device: 'ciena-sds',
    aspect: 'ports',
    kind: 'differ',
    rows: /^LAG is not listed as a port$/,
    count: 6,
    why: 'six ports are all called "LAG": a name that does not tell ports apart is none, and they are left out',
  },
  {
    device: 'ios_c3560',
    aspect: 'members',
    kind: 'differ',
    rows: /^a port 1u: /,
    count: 8,
    why: 'of eight ports there is no vmVlan; LibreNMS takes vlanTrunkPortNativeVlan, which means nothing on a port that does not trunk',
  },
  {
    device: 'ios_stp-vlans',
    aspect: 'members',
    kind: 'differ',
    rows: /^Gi2\/0\/24 98t: other/,
    count: 1,
    why: 'the dump lacks vlanTrunkPortVlansEnabled: what a trunk carries is not told',
  },
  {
    device: 'dnos_s4048',
    aspect: 'ports',
    kind: 'differ',
    rows: /^TenGigabitEthernet 1\/3[34] is not listed as a port$/,
    count: 4,
    why: 'two names are each those of two ports: a name that does not tell ports apart is none, and they are left out',
  },
  {
    device: 'junos_qfx5100',
    aspect: 'members',
    kind: 'beyond',
    rows: /^xe-0\/0\/\d (?:23|4002|4004|4005)[tu]$/,
    count: 12,
    why: 'LibreNMS lists nothing for four VLANs whose port lists begin with bridge port 0, the switch itself',
  },
  ...(
    [
      ['vlans', /^VLAN \d+ is missing$/, 4],
      ['members', /: other the switch shows no table of VLANs|: no such port$|^a port \d+[tu]: /, 14],
    ] as const
  ).map(([aspect, rows, count]) => ({
    device: 'routeros_rb760igs',
    aspect,
    kind: 'differ' as const,
    rows,
    count,
    why: 'VLANs come from a script of the operator, not from a MIB: all ports are `other`',
  })),
  {
    device: 'pegasus',
    aspect: 'vlans',
    kind: 'differ',
    rows: /^VLAN 4095 is missing$/,
    count: 1,
    why: 'VLAN 4095 is reserved (IEEE 802.1Q) and not listed',
  },
  ...(
    [
      ['vlans', /^VLAN 1[034]\d{3} is missing$/, 20],
      ['members', /^[tq]e-1\/1\/\d+ 10001u: other/, 54],
    ] as const
  ).map(([aspect, rows, count]) => ({
    device: 'picos',
    aspect,
    kind: 'differ' as const,
    rows,
    count,
    why: 'the tables are numbered 10000 + VLAN ID, which is no VLAN ID: nothing is read of them, and all ports are `other`',
  })),
  {
    device: 'brocade-icx6430-24',
    aspect: 'members',
    kind: 'differ',
    rows: /^bridge port \d+ 1u: no such port$/,
    count: 10,
    why: 'the port lists are not bitmaps, and not understood: all ports are `other`',
  },
  {
    device: 'dlink-des3038',
    aspect: 'members',
    kind: 'differ',
    rows: /^bridge port (?:3[7-9]|[45]\d|6[0-4]) (?:602|2004)[tu]: no such port$/,
    count: 30,
    why: 'the port lists name only ports that do not exist (they seem to be written backwards), and are not understood: all ports are `other`',
  },
  {
    device: 'juniper-mx960-13-3r9-13',
    aspect: 'members',
    kind: 'differ',
    rows: /^bridge port \d+ \d+t: no such port$/,
    count: 18,
    why: 'dot1dBasePortIfIndex of these bridge ports is 0: there is no interface to list them with',
  },
];

/** What else must be known of a dump to judge its rows, by device. */
const REMARKS: Readonly<Record<string, string>> = {
  'vrp_5720-32x-ei': 'the port lists of the dump are cut in the middle of an octet, so that agreeing says less here',
};

/** What is wrong with one device's comparison beside its exceptions, as sentences; none: all is as it should be. */
export function unexplained(
  device: string,
  comparison: Comparison,
  exceptions: readonly CorpusException[] = EXCEPTIONS,
): readonly string[] {
  const mine = exceptions.filter((e) => e.device === device);
  return ASPECTS.flatMap((aspect) =>
    (['differ', 'beyond'] as const).flatMap((kind) => {
      const rules = mine.filter((e) => e.aspect === aspect && e.kind === kind);
      const rows = comparison[aspect][kind];
      const stray = rows.filter((row) => rules.filter((e) => e.rows.test(row)).length !== 1);
      const stale = rules.flatMap((e) => {
        const n = rows.filter((row) => e.rows.test(row)).length;
        return n === e.count ? [] : [`the exception for ${aspect} "${e.why}" is for ${e.count} rows, but ${n} are so`];
      });
      return [...stray.map((row) => `${aspect}, ${kind}: ${row}`), ...stale];
    }),
  );
}

/** Why rows of this device do not agree, each reason once, and what else is to be known. */
export function reasons(device: string, exceptions: readonly CorpusException[] = EXCEPTIONS): readonly string[] {
  const remark = REMARKS[device];
  const why = exceptions.filter((e) => e.device === device).map((e) => e.why);
  return [...new Set(remark === undefined ? why : [...why, remark])];
}
