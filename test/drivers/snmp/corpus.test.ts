import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Comparison, compareWith } from '../../corpus/compare.ts';
import { CORPUS_REASON, dumpedDevices } from '../../corpus/corpus.ts';
import { replay } from '../../corpus/replay.ts';

const DOC = join(import.meta.dirname, '../../../docs/snmp-devices.md');
type Aspect = keyof Comparison;
const ASPECTS: readonly Aspect[] = ['ports', 'vlans', 'members', 'neighbors'];

/** Rows that do not agree, by device and aspect, with the reason. One that is no longer needed fails as well. */
const EXCEPTIONS: Readonly<Record<string, { readonly rows: Partial<Record<Aspect, number>>; readonly why: string }>> = {
  'arubaos-cx_10.06': {
    rows: { ports: 1 },
    why: 'eth0, the management port, answers ifOperStatus 0, which is no value of the MIB: shown as unknown',
  },
  'ios_stp-vlans': {
    rows: { members: 1 },
    why: 'the dump lacks vlanTrunkPortVlansEnabled: what a trunk carries is not told',
  },
  routeros_rb760igs: {
    rows: { vlans: 4, members: 10 },
    why: 'VLANs come from a script of the operator, not from a MIB: all ports are `other`',
  },
};

const devices = dumpedDevices();
const lines = new Map<string, string>();

describe.skipIf(devices.length === 0)(
  `dumps of real switches${devices.length === 0 ? ` [skipped: ${CORPUS_REASON}]` : ''}`,
  () => {
    it.each(devices.map((d) => [`${d.platform} ${d.name}`, d] as const))(
      '%s',
      { timeout: 30_000 },
      async (_, device) => {
        const { reading, neighbors, requests } = await replay(device.dump);
        // Nothing is listed twice, and nothing is without a name.
        expect(new Set(reading.ports.map((p) => p.name)).size).toBe(reading.ports.length);
        expect(requests).toBeLessThan(400);
        const source =
          reading.vlanSource === null ? 'none' : `${reading.vlanSource.source}, ${reading.vlanSource.basis}`;
        const exception = EXCEPTIONS[device.name];
        const cells = ['', '', '', ''];
        if (device.oracle !== null) {
          const compared = compareWith(device.oracle, reading, neighbors);
          for (const [i, aspect] of ASPECTS.entries()) {
            const { agree, of, differ } = compared[aspect];
            expect([aspect, of - agree, differ.slice(0, 5)]).toEqual([
              aspect,
              exception?.rows[aspect] ?? 0,
              of === agree ? [] : expect.anything(),
            ]);
            cells[i] = of === 0 ? '' : `${agree}/${of}`;
          }
        }
        lines.set(
          `${device.platform} ${device.name}`,
          `| ${device.platform} ${device.name} | ${cells.join(' | ')} | ${source} | ${exception?.why ?? ''} |`,
        );
      },
    );

    it('agree with docs/snmp-devices.md (PORTKEEPER_WRITE_DOCS=1 writes it)', () => {
      const text = `${HEAD}${[...lines.values()].join('\n')}\n`;
      if (process.env['PORTKEEPER_WRITE_DOCS'] === '1') writeFileSync(DOC, text);
      expect(existsSync(DOC) ? readFileSync(DOC, 'utf8') : '').toBe(text);
    });
  },
);

const HEAD = `# Switches read over SNMP

What the driver \`snmp\` reads of public dumps of real switches (LibreNMS, snmpsim-data), served over UDP by an agent that shares no code with
it, against what LibreNMS itself makes of the same dump. \`N/M\`: N of M rows agree; empty: nothing to compare with. Rows: ports with their
admin state and link; VLANs with their names; memberships (port, VLAN, tagged or not); LLDP neighbours with their port. "Read from" is the
table that membership is taken from, and whether it shows what is configured or what operates now.

A membership row agrees also on a port whose mode is \`other\`: the VLANs are listed, but the switch does not tell enough to say that
nothing else passes. Such a port is never called \`applied\`. No switch of this table was written to.

| device | ports | VLANs | members | neighbours | read from | what does not agree, and why |
|---|---|---|---|---|---|---|
`;
