import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NeighborsDocument } from '../../agent/model/report.ts';
import { LabAgent, on } from '../lab/agent.ts';
import { type Lab, type Message, startLab } from '../lab/lab.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

/** What moves the cursor, ends a line, rings, hides text or turns its direction. */
const HARMFUL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe]/;
/** The same, written as JSON escapes. */
const ESCAPED = /\\u(00[0189][0-9a-f]|007f|20[0-6][0-9a-f]|feff)|\\[bfnrt]/i;

describeWithParts('hosts that lie over LLDP', LAB_PARTS, () => {
  let lab: Lab;
  let agent: LabAgent;

  beforeAll(async () => {
    lab = await startLab({ ports: 3 });
    agent = await new LabAgent(lab).start();
    await agent.apply({ a: on('swp1', { mode: 'access', nativeVLAN: 100 }) });
  });

  afterAll(async () => {
    await agent?.stop();
    await lab?.stop();
  });

  const neighbors = (what: string, wanted: (rows: NeighborsDocument['neighbors']) => boolean): Promise<Message> =>
    agent.viewer.next(
      what,
      (m) =>
        m.topic === `${agent.base}/switch/tor/neighbors` &&
        wanted((JSON.parse(m.payload) as NeighborsDocument).neighbors),
      40_000,
    );
  const on1 = (rows: NeighborsDocument['neighbors'], port: string) => rows.filter((n) => n.port === port);
  const clean = async () => {
    for (const m of agent.viewer.all()) {
      if (!/\/(switch|event|agent|result)/.test(m.topic)) continue;
      expect(m.payload, m.topic).not.toMatch(HARMFUL);
      expect(m.payload, m.topic).not.toMatch(ESCAPED);
    }
    for (const port of ['swp1', 'swp2']) {
      for (const words of [
        ['neighbors'],
        ['port', port],
        ['ports'],
        ['status'],
        ['events'],
        ['neighbors', '--json'],
        ['port', port, '--json'],
      ]) {
        const { stdout, stderr, code } = await agent.cli(...words);
        expect(`${words.join(' ')}: ${code} ${stderr}`).toBe(`${words.join(' ')}: 0 `);
        expect(stdout.replaceAll('\n', ''), words.join(' ')).not.toMatch(HARMFUL);
        if (words.includes('--json')) expect(stdout, words.join(' ')).not.toMatch(ESCAPED);
        else if (words[0] !== 'events')
          for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
      }
    }
  };

  it('shows what a real lldpd was told to say, without its escapes', async () => {
    const evil = '\u001b[2J\u001b]0;owned\u0007evil\u009b31m\u202egpj';
    const long = 'D'.repeat(255);
    await lab.must('h1', ['lldpcli', 'configure', 'system', 'hostname', evil]);
    await lab.must('h1', ['lldpcli', 'configure', 'system', 'description', `${long}`]);
    await lab.must('h2', ['lldpcli', 'configure', 'system', 'hostname', 'N'.repeat(255)]);
    await lab.must('h2', [
      'lldpcli',
      'configure',
      'system',
      'description',
      `line 1\nline 2\r\t${evil}\u2028${'x'.repeat(150)}`,
    ]);
    const told = await neighbors(
      'the hostile names',
      (rows) =>
        on1(rows, 'swp1').some((n) => n.systemName.includes('evil')) &&
        on1(rows, 'swp2').some((n) => n.systemName.includes('NNNN')),
    );
    const rows = (JSON.parse(told.payload) as NeighborsDocument).neighbors;
    expect(on1(rows, 'swp1')).toHaveLength(1);
    expect(on1(rows, 'swp2')).toHaveLength(1);
    for (const text of rows.flatMap((n) => [n.systemName, n.portId.value, n.chassisId.value, n.portDescription]))
      expect(text.length).toBeLessThanOrEqual(255);
    await clean();
  });

  it('shows frames that no lldpd would send: NUL, unknown subtypes, JSON in a name', async () => {
    await lab.must('h3', ['python3', '/labsrc/hostile-lldp.py', 'eth0']);
    await neighbors('the frames', (rows) => on1(rows, 'swp3').length >= 3);
    await clean();
    expect((await agent.cli('port', 'swp3')).stdout.replaceAll('\n', '')).not.toMatch(HARMFUL);
    // What a host says takes no port out of management that the agent has configured, and changes nothing on the switch.
    expect(await lab.vlansOf('swp1')).toBe('access 100 []');
    expect(await lab.vlansOf('swp3')).toBe('access 4000 []');
    expect((await agent.apply({ c: on('swp3', { mode: 'access', nativeVLAN: 300 }) })).state).toBe('applied');
  });
});
