import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hostNeighbor, type SimNeighbor } from '../sim/index.ts';
import { access, carries, WholeAgent, type WholeAgentOptions } from '../support/whole-agent.ts';

let rig: WholeAgent;
afterEach(() => rig?.stop());

async function start(options: Partial<WholeAgentOptions> = {}): Promise<WholeAgent> {
  rig = await WholeAgent.start({ switches: { tor1: { ports: 8 } }, ...options });
  return rig;
}

const bridge = (name: string): SimNeighbor => ({
  ...hostNeighbor(name, 'eth0', '02:00:00:00:00:07'),
  capabilities: 'B,R',
});

function get(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socketPath = join(rig.folder, 'run', 'status.sock');
    request({ socketPath, path, headers: { host: 'localhost' } }, (answer) => {
      let text = '';
      answer.on('data', (part) => {
        text += part;
      });
      answer.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
}

describe('what a host says over LLDP', () => {
  it('cannot keep a tenant VLAN on its port by turning into a bridge, also where nothing had to be changed', async () => {
    await start({
      switches: {
        tor1: {
          config: [
            'lldp run',
            'vlan 100,4000',
            'exit',
            'interface swp1',
            'switchport mode access',
            'switchport access vlan 100',
          ],
        },
      },
      config: { mode: 'observe' },
    });
    const sim = rig.sim();
    await rig.publish('ironic', 1, { a: access('swp1', 100) });
    await rig.until('as it is', () => rig.result('ironic')?.attachments['a']?.state === 'applied');
    rig.writeConfig({ mode: 'manage' });
    await rig.reload();
    await rig.until('known', () => rig.state.switches['tor1']?.ports['swp1']?.applied != null);
    sim.cable('swp1', bridge('evil'));
    await rig.app.rack.request('tor1', { neighbors: true, read: true });
    expect(rig.result('ironic')?.attachments['a']?.state).toBe('applied');
    await rig.publish('ironic', 2, {});
    await rig.until('idle', () => carries(sim, 'swp1') === '4000u');
  });

  it('protects an uplink seen first, until it is confirmed; withdrawing works all the time', async () => {
    await start();
    const sim = rig.sim();
    await rig.until('up', () => rig.state.switches['tor1']?.ports['swp6']?.applied != null);
    await rig.publish('ironic', 1, { a: access('swp2', 100) });
    await rig.settled('ironic', 1);
    sim.cable('swp2', bridge('evil'));
    await rig.app.rack.request('tor1', { neighbors: true, read: true });
    await rig.publish('ironic', 2, {});
    await rig.until('idle', () => carries(sim, 'swp2') === '4000u');
  });

  it('is bounded and harmless everywhere: escapes, text from right to left, 50 speakers on a port', async () => {
    await start();
    const sim = rig.sim();
    const nasty = ['\u001b[31mred\u001b[0m', '\u202etxet', 'x'.repeat(255), 'tor1#', 'Local Intf: swp2', '"><script>'];
    const speaker = (i: number): SimNeighbor => ({
      ...hostNeighbor(`${nasty[i % nasty.length]}${i}`, 'eth0', `02:00:00:00:01:${(16 + i).toString(16)}`),
      systemDescription: nasty[(i + 1) % nasty.length] ?? '',
    });
    await rig.until('up', () => rig.state.switches['tor1']?.ports['swp6']?.applied != null);
    sim.cable('swp1', { ...speaker(0), also: Array.from({ length: 49 }, (_, i) => speaker(i + 1)) });
    await rig.publish('ironic', 1, { a: access('swp1', 100, { expectedNeighbor: { systemName: 'worker' } }) });
    await rig.settled('ironic', 1);
    await rig.app.rack.request('tor1', { neighbors: true, read: true });
    await rig.until('neighbours told', () => rig.heard.some((h) => /neighbors .*02:00:00:00:01/.test(h)));
    for (const text of [...rig.heard, ...rig.logLines]) {
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e]/);
      expect(text.length).toBeLessThan(200_000);
    }
    expect(carries(sim, 'swp1')).toBe('100u');
  });
});

describe('a neighbour that writes prompts and refusals', () => {
  it.each([
    'x\r\ntor1#',
    'x\r\ntor1#\r\ntor1#',
    '% Invalid input',
    'x\r\n% Invalid input',
    'x\r\n --More-- ',
    'x\r\nPassword: ',
  ])('%j: the switch is managed all the same', async (systemName) => {
    await start();
    rig.sim().cable('swp1', { ...hostNeighbor('h', 'eth0', '02:00:00:00:00:07'), systemName });
    rig.sim().cable('swp2', hostNeighbor('good', 'eth0', '02:00:00:00:00:08'));
    await rig.until('up', () => rig.state.switches['tor1']?.ports['swp6']?.applied != null);
    await rig.publish('ironic', 1, { a: access('swp1', 100) });
    await rig.until('applied', () => rig.result('ironic')?.state === 'applied');
    rig.sim().cutSessions();
    await rig.publish('ironic', 2, { a: access('swp1', 101) });
    await rig.until('101', () => carries(rig.sim(), 'swp1') === '101u');
    await rig.until('the honest one is seen', () =>
      rig.heard.some((h) => h.includes('/neighbors') && h.includes('"good"')),
    );
  });
});

describe('no secret', () => {
  it('is in the debug log, a message, an answer or the store', async () => {
    await start();
    rig.secret('switch.password', 'wRong-sEcret');
    await rig.until('up', () => rig.state.switches['tor1']?.ports['swp6']?.applied != null);
    await rig.reload();
    await rig.until('refused', () => rig.app.rack.views.get('tor1')?.trouble !== null);
    rig.secret('switch.password', rig.secrets[1] ?? '');
    rig.secret('enable.password', 'eNable-wRong-sEcret');
    await rig.reload();
    await rig.until('refused again', () => rig.app.rack.views.get('tor1')?.trouble?.message.includes('enable'));
    rig.secret('enable.password', rig.secrets[2] ?? '');
    await rig.reload();
    await rig.publish('ironic', 1, { a: access('swp1', 100) });
    await rig.settled('ironic', 1);
    const paths = [
      '/v1/status',
      '/v1/ports',
      '/v1/switches',
      '/v1/neighbors',
      '/v1/intents',
      '/v1/events',
      '/v1/plan',
      '/v1/config',
      '/metrics',
    ];
    const answers = await Promise.all([...paths, ...paths.map((p) => p.replace('/v1', ''))].map(get));
    expect(answers.some((a) => a.includes('swp1'))).toBe(true);
    const everything = [...rig.logLines, ...rig.heard, ...answers, rig.storedState()].join('\n');
    for (const secret of [...rig.secrets, 'wRong-sEcret', 'eNable-wRong-sEcret'])
      expect(everything).not.toContain(secret);
  });
});
