import { describe, expect, it } from 'vitest';
import { LinkHints, withLinks } from '../../../agent/pipeline/link-hints.ts';
import type { SwitchReading } from '../../../drivers/driver.ts';
import type { PortState } from '../../../drivers/model/port.ts';
import { configured } from '../../../drivers/model/switchport.ts';

describe('notifications', () => {
  it('ask for nothing until there is one', () => {
    expect(new LinkHints().at).toBe(Number.POSITIVE_INFINITY);
    expect(new LinkHints().take(0)).toEqual({ ports: [], all: false });
  });

  it('are followed at once the first time: the port, and the whole switch', () => {
    const hints = new LinkHints();
    hints.add(7);
    expect(hints.at).toBeLessThanOrEqual(0);
    expect(hints.take(0)).toEqual({ ports: [7], all: true });
  });

  it('lead to more looks, later and later, since an agent may answer with what was before; and to an end', () => {
    const hints = new LinkHints();
    hints.add(7);
    const looks: number[] = [];
    for (let now = 0; now < 60_000; now += 50) if (now >= hints.at && hints.take(now).ports.length > 0) looks.push(now);
    expect(looks).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 15_750]);
    expect(hints.at).toBe(Number.POSITIVE_INFINITY);
  });

  it('in a storm cost a look each 200 ms and a whole reading each 2 s', () => {
    const hints = new LinkHints();
    let looks = 0;
    let readings = 0;
    for (let now = 0; now < 10_000; now++) {
      hints.add(now % 40);
      if (now < hints.at) continue;
      const { ports, all } = hints.take(now);
      if (ports.length > 0) looks++;
      if (all) readings++;
    }
    expect(looks).toBe(50);
    expect(readings).toBe(5);
  });

  it('are never forgotten: the last of a storm is followed too', () => {
    const hints = new LinkHints();
    hints.add(1);
    hints.take(0);
    hints.add(2);
    expect(hints.at).toBe(200);
    expect(hints.take(200)).toEqual({ ports: [1, 2], all: false });
    for (let now = 200; now < 2_000; now += 50) if (now >= hints.at) hints.take(now);
    expect(hints.take(2_000).all).toBe(true);
  });

  it('of more ports than can be looked at one by one, or of none, lead to a whole reading', () => {
    const hints = new LinkHints();
    for (let i = 1; i <= 5000; i++) hints.add(i);
    const { ports, all } = hints.take(0);
    expect(ports).toHaveLength(64);
    expect(all).toBe(true);
    expect(new LinkHints().take(0).all).toBe(false);
    const any = new LinkHints();
    any.add(null);
    expect(any.take(0)).toEqual({ ports: [], all: true });
  });
});

describe('links seen later', () => {
  const port = (ifIndex: number | null): PortState => ({
    name: `swp${ifIndex}`,
    aliases: [],
    ifIndex,
    macAddress: null,
    kind: 'physical',
    adminState: 'up',
    operState: 'up',
    speedMbps: 10_000,
    mtu: null,
    description: '',
    switchport: configured('access', 100),
    lag: null,
    carriesManagement: false,
    problem: null,
  });
  const reading: SwitchReading = { ports: [port(1), port(2), port(null)], vlans: [], unsaved: null };

  it('replace only the link of their port', () => {
    const later = withLinks(reading, [{ ifIndex: 2, operState: 'down', speedMbps: null }]);
    expect(later).toEqual({
      ...reading,
      ports: [port(1), { ...port(2), operState: 'down', speedMbps: null }, port(null)],
    });
  });

  it('leave the very same reading when nothing differs', () => {
    expect(withLinks(reading, [{ ifIndex: 1, operState: 'up', speedMbps: 10_000 }])).toBe(reading);
    expect(withLinks(reading, [{ ifIndex: 99, operState: 'down', speedMbps: null }])).toBe(reading);
  });
});
