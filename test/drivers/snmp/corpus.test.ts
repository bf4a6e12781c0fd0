import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CORPUS_REASON, dumpedDevices } from '../../corpus/corpus.ts';
import { EXCEPTIONS, unexplained } from '../../corpus/exceptions.ts';
import { measure } from '../../corpus/measured.ts';
import { devicesPage } from '../../corpus/table.ts';

const DOC = join(import.meta.dirname, '../../../docs/snmp-devices.md');

const devices = dumpedDevices();

describe.skipIf(devices.length === 0)(
  `dumps of real switches${devices.length === 0 ? ` [skipped: ${CORPUS_REASON}]` : ''}`,
  () => {
    it.each(devices.map((d) => [`${d.platform} ${d.name}`, d] as const))(
      '%s',
      { timeout: 30_000 },
      async (_, device) => {
        const { reading, comparison, requests } = await measure(device);
        expect(unexplained(device.name, comparison)).toEqual([]);
        // Nothing is listed twice.
        expect(new Set(reading.ports.map((p) => p.name)).size).toBe(reading.ports.length);
        expect(requests).toBeLessThan(400);
      },
    );

    it('are all known to their exceptions, and have names of their own', () => {
      const names = devices.map((d) => d.name);
      expect(EXCEPTIONS.map((e) => e.device).filter((device) => !names.includes(device))).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
    });

    it('agree with docs/snmp-devices.md (PORTKEEPER_WRITE_DOCS=1 writes it)', { timeout: 120_000 }, async () => {
      const measured = [];
      for (const device of devices) measured.push(await measure(device));
      const page = devicesPage(measured);
      if (process.env['PORTKEEPER_WRITE_DOCS'] === '1') writeFileSync(DOC, page);
      expect(existsSync(DOC) ? readFileSync(DOC, 'utf8') : '').toBe(page);
    });
  },
);
