import { on } from './agent.ts';

/** A number from 0 up to but not including `below`. */
export type Choose = (below: number) => number;

/** Deterministic choice (a linear congruential generator), so that a failure can be run again. */
export function chooser(seed: number): Choose {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Attachments for some of the ports, each with VLANs, MTU, admin state and description by chance. Sets are taken from
 * wide ranges, so that a mixture of an old and a new one is hardly ever a set that was asked for.
 */
export function randomAttachments(choose: Choose, ports: readonly string[]): Record<string, unknown> {
  const attachments: Record<string, unknown> = {};
  for (const port of ports) {
    if (choose(6) === 0) continue;
    const native = 100 + choose(800);
    const first = 1000 + choose(2000);
    const allowedVLANs = [first, `${first + 2}-${first + 2 + choose(40)}`];
    const shapes = [
      { mode: 'access', nativeVLAN: native },
      { mode: 'trunk', nativeVLAN: native, allowedVLANs },
      { mode: 'trunk', allowedVLANs },
      { mode: 'hybrid', nativeVLAN: native, allowedVLANs },
    ];
    const mtu = choose(3) === 0 ? { mtu: [1600, 4000, 9000][choose(3)] } : {};
    attachments[port] = on(
      port,
      { ...shapes[choose(shapes.length)], ...mtu },
      {
        ...(choose(3) === 0 ? { description: `rack 7 ${native}` } : {}),
        ...(choose(5) === 0 ? { adminState: 'down' } : {}),
      },
    );
  }
  return attachments;
}
