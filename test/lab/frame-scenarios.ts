import { expect } from 'vitest';
import { type LabAgent, on } from './agent.ts';
import type { Lab } from './lab.ts';

/** What holds of frames by whatever way the switch is written. A lab of four ports, with a host on each. */

/** Hosts hear each other when the intents put them into one VLAN, and not when they are taken apart. */
export async function hostsReachAsIntended(lab: Lab, agent: LabAgent): Promise<void> {
  const same = await agent.apply({
    a: on('swp1', { mode: 'access', nativeVLAN: 100 }),
    b: on('swp2', { mode: 'access', nativeVLAN: 100 }),
  });
  expect(same).toMatchObject({ state: 'applied', counts: { applied: 2 } });
  expect(await lab.vlansOf('swp1')).toBe('access 100 []');
  expect((await lab.hear({ from: 'h1', to: ['h2', 'h3'] }))['h2']).toEqual({ frames: 3, vids: [0] });
  expect((await lab.in('h1', ['ping', '-c1', '-W3', lab.addressOf('h2')])).code).toBe(0);
  const apart = await agent.apply({
    a: on('swp1', { mode: 'access', nativeVLAN: 100 }),
    b: on('swp2', { mode: 'access', nativeVLAN: 200 }),
  });
  expect(apart.state).toBe('applied');
  expect(await lab.hear({ from: 'h1', to: ['h2', 'h3', 'h4'] })).toEqual({
    h2: { frames: 0, vids: [] },
    h3: { frames: 0, vids: [] },
    h4: { frames: 0, vids: [] },
  });
}

/** Of tagged frames a host hears exactly those of the VLANs that its port allows. */
export async function trunksCarryWhatTheyAllow(lab: Lab, agent: LabAgent): Promise<void> {
  const result = await agent.apply({
    a: on('swp1', { mode: 'trunk', nativeVLAN: 100, allowedVLANs: [200, '300-302'] }),
    b: on('swp2', { mode: 'trunk', allowedVLANs: [200, 301, 400] }),
    c: on('swp3', { mode: 'hybrid', nativeVLAN: 100, allowedVLANs: [] }),
  });
  expect(result).toMatchObject({ state: 'applied', counts: { applied: 3 } });
  const from = async (vid: number) => await lab.hear({ from: 'h1', to: ['h2', 'h3'], vid });
  const none = { frames: 0, vids: [] };
  expect(await from(0)).toEqual({ h2: none, h3: { frames: 3, vids: [0] } });
  for (const vid of [200, 301]) expect(await from(vid)).toEqual({ h2: { frames: 3, vids: [vid] }, h3: none });
  for (const vid of [302, 400]) expect(await from(vid)).toEqual({ h2: none, h3: none });
}
