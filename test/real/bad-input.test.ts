import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ResponseDocument } from '../../agent/model/command.ts';
import type { ResultDocument } from '../../agent/model/report.ts';
import { LabAgent, on } from '../lab/agent.ts';
import { switchBecomes } from '../lab/expectations.ts';
import { type Lab, startLab, type Watch } from '../lab/lab.ts';
import { Truth } from '../lab/truth.ts';
import { describeWithParts, LAB_PARTS } from '../support/parts.ts';

const GOOD = { mode: 'access', nativeVLAN: 100 };
const FUZZ = 600;

/** A document with one attachment `a` on swp1, as text. */
function doc(attachment: unknown, more: object = {}): string {
  return JSON.stringify({ revision: 7000, attachments: { a: attachment }, ...more });
}
const port = (portId: string) => doc({ port: { switchId: 'tor', portId }, switchport: GOOD });
const vlans = (...allowedVLANs: unknown[]) => doc(on('swp1', { mode: 'trunk', allowedVLANs }));
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((p) => (typeof p === 'string' ? Buffer.from(p) : Buffer.from(p))));

/** Payload, and what the path or the sentence about it must say. */
const HOSTILE: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ['no JSON', 'hello', /./],
  ['half a document', '{"revision": 7000, "attachments": {', /./],
  ['two documents', `${port('swp1')}${port('swp1')}`, /./],
  ['a comma too many', '{"revision": 7000, "attachments": {},}', /./],
  ['a number', '7', /./],
  ['null', 'null', /./],
  ['an array', '[]', /./],
  ['an empty object', '{}', /revision/],
  ['2 MiB', doc(on('swp1', GOOD), { x: 'x'.repeat(2 * 1024 * 1024) }), /1048576/],
  ['2 MiB of blanks', ' '.repeat(2 * 1024 * 1024), /1048576/],
  ['arrays 10,000 deep', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, /10000|deep/],
  ['objects 10,000 deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, /10000|deep/],
  ['invalid UTF-8', bytes('{"revision": 7000, "attachments": {"', [0xff, 0xfe], '": {}}}'), /UTF-8/],
  ['a surrogate alone', bytes('{"revision": 7000, "x": "', [0xed, 0xa0, 0x80], '"}'), /UTF-8/],
  ['a NUL byte', bytes('{"revision": 7000,', [0], '"attachments": {}}'), /NUL/],
  ['UTF-16', Buffer.from(port('swp1'), 'utf16le'), /./],
  ['a revision of text', JSON.stringify({ revision: '7000', attachments: {} }), /revision/],
  ['a revision with a fraction', '{"revision": 7000.5, "attachments": {}}', /revision/],
  ['a negative revision', '{"revision": -1, "attachments": {}}', /revision/],
  ['a revision that is too large', '{"revision": 9007199254740993, "attachments": {}}', /revision/],
  ['a revision beyond all numbers', '{"revision": 1e999, "attachments": {}}', /revision/],
  ['a revision of 400 digits', `{"revision": ${'9'.repeat(400)}, "attachments": {}}`, /revision/],
  ['attachments as a list', '{"revision": 7000, "attachments": []}', /attachments/],
  ['an attachment that is null', doc(null), /attachments/],
  ['an unknown key', doc(on('swp1', GOOD), { attachment: {} }), /attachment/],
  ['an unknown key deep down', doc(on('swp1', { ...GOOD, nativeVlan: 5 })), /switchport/],
  ['a key twice', `{"revision": 7000, "revision": 7001, "attachments": {}}`, /revision/],
  [
    'an attachment twice',
    `{"revision": 7000, "attachments": {"a": ${JSON.stringify(on('swp1', GOOD))}, "a": {}}}`,
    /a/,
  ],
  ['__proto__', `{"revision": 7000, "attachments": {"__proto__": ${JSON.stringify(on('swp1', GOOD))}}}`, /__proto__/],
  ['__proto__ as a key', `{"revision": 7000, "attachments": {}, "__proto__": {"x": 1}}`, /__proto__/],
  ['VLAN 0', doc(on('swp1', { mode: 'access', nativeVLAN: 0 })), /nativeVLAN/],
  ['VLAN 4095', doc(on('swp1', { mode: 'access', nativeVLAN: 4095 })), /nativeVLAN/],
  ['VLAN 1.5', doc(on('swp1', { mode: 'access', nativeVLAN: 1.5 })), /nativeVLAN/],
  ['VLAN as text', doc(on('swp1', { mode: 'access', nativeVLAN: '100' })), /nativeVLAN/],
  ['a list with VLAN 4095', vlans(100, 4095), /allowedVLANs\[1\]/],
  ['a range to 4095', vlans('100-4095'), /allowedVLANs\[0\]/],
  ['a range from 0', vlans('0-100'), /allowedVLANs\[0\]/],
  ['a reversed range', vlans(5, '300-200'), /allowedVLANs\[1\]/],
  ['a range with two ends', vlans('1-2-3'), /allowedVLANs\[0\]/],
  ['"all"', vlans('all'), /allowedVLANs\[0\]/],
  ['a list in a list', vlans([1, 2]), /allowedVLANs\[0\]/],
  ['too many items', vlans(...Array.from({ length: 5000 }, () => 7)), /allowedVLANs/],
  ['a mode of its own', doc(on('swp1', { mode: 'trunk-all' })), /mode/],
  ['an MTU of 10^9', doc(on('swp1', { ...GOOD, mtu: 1e9 })), /mtu/],
  ['a port with a line end', port('swp1\nswp2'), /portId/],
  ['a port with a semicolon', port('swp1; reboot'), /portId/],
  ['a port with $()', port('$(reboot)'), /portId/],
  ['a port with backquotes', port('`reboot`'), /portId/],
  ['a port with an escape', port('swp1\u001b[2J'), /portId/],
  ['a port with NUL', port('swp1\u0000'), /portId|NUL/],
  ['a port like an option', port('--help'), /portId/],
  ['a port of 10,000 letters', port('a'.repeat(10_000)), /portId/],
  ['a switch with a line end', doc({ port: { switchId: 'tor\n', portId: 'swp1' }, switchport: GOOD }), /switchId/],
  ['a description with quotes', doc(on('swp1', GOOD, { description: `"; reboot; '` })), /description/],
  ['a description with an escape', doc(on('swp1', GOOD, { description: '\u001b]0;x\u0007' })), /description/],
  [
    'a name with an escape',
    `{"revision": 7000, "attachments": {"a\\u001b[2J": ${JSON.stringify(on('swp1', GOOD))}}}`,
    /attachments/,
  ],
  [
    'one port for two',
    JSON.stringify({ revision: 7000, attachments: { a: on('swp1', GOOD), b: on('swp1', GOOD) } }),
    /attachments.*port|swp1/,
  ],
];

describeWithParts('a daemon that gets bad input', LAB_PARTS, () => {
  let lab: Lab;
  let agent: LabAgent;
  let truth: Truth;
  let answers: Watch;
  const good = {
    'worker-1/eno1': on('swp1', GOOD),
    'worker-2/eno1': on('swp2', { mode: 'trunk', allowedVLANs: [200] }),
  };
  let revision = 0;
  let settledChanges = 0;

  beforeAll(async () => {
    lab = await startLab({ ports: 2 });
    await lab.reset();
    // Whatever the other publisher gets through, no port is its own.
    agent = await new LabAgent(lab, { publishers: { ironic: {}, tenant: { ports: {} } } }).start();
    truth = await Truth.start(lab, agent);
    answers = await lab.watch({ user: 'ironic', topics: [`${agent.base}/response/ironic/#`] });
    revision = (await agent.apply(good)).revision ?? 0;
    await switchBecomes(lab, good);
    await truth.verdict();
    settledChanges = truth.changes.length;
  });

  afterAll(async () => {
    await truth?.stop();
    await answers?.stop();
    await agent?.stop();
    await lab?.stop();
  });

  let files = 0;
  const fileOf = (payload: string | Buffer) => {
    const file = join(agent.folder, `payload-${++files}`);
    writeFileSync(file, payload);
    return file;
  };
  const rssKb = () =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${agent.process?.pid}/status`, 'utf8'))?.[1] ?? 0);
  const resultAfter = (since: number, wanted: (r: ResultDocument) => boolean, publisher = 'ironic') =>
    agent.viewer.next(
      `a result of ${publisher}`,
      (m) =>
        m.at >= since &&
        m.topic === `${agent.base}/result/${publisher}` &&
        m.payload !== '' &&
        wanted(JSON.parse(m.payload) as ResultDocument),
    );
  /** The document in force once more, which clears the last refusal: so each refusal is news. */
  const again = async () => {
    const since = Date.now();
    await lab.publish({
      user: 'ironic',
      topic: `${agent.base}/intent/ironic`,
      payload: { revision, attachments: good },
      retain: true,
    });
    await resultAfter(since, (r) => r.state === 'applied');
  };
  /** Resolves when everything that was published before has been worked off. */
  const workedOff = async () => {
    const since = Date.now();
    await lab.publish({ user: 'ironic', topic: `${agent.base}/intent/ironic`, payload: '{}' });
    await resultAfter(since, (r) => r.state === 'rejected');
    await again();
  };
  const untouched = async () => {
    await switchBecomes(lab, good, 0);
    expect((await truth.verdict()).lies).toEqual([]);
    expect(truth.changes.slice(settledChanges)).toEqual([]);
    expect(agent.process?.running).toBe(true);
  };

  it('refuses every hostile document with path and reason, and keeps what is in force', async () => {
    for (const [index, [name, payload, says]] of HOSTILE.entries()) {
      const since = Date.now();
      const sent = await lab.publish({
        user: 'ironic',
        topic: `${agent.base}/intent/ironic`,
        file: fileOf(payload),
        retain: index % 2 === 0,
      });
      expect(sent.accepted, name).toBe(true);
      const message = await resultAfter(since, (r) => r.state === 'rejected').catch((e: unknown) => {
        throw new Error(`${name}: ${String(e).slice(0, 200)}`);
      });
      const result = JSON.parse(message.payload) as ResultDocument;
      expect(result, name).toMatchObject({ revision, state: 'rejected', counts: { applied: 2 } });
      expect(['Malformed', 'TooLarge'], name).toContain(result.reason);
      expect(result.errors.length, name).toBeGreaterThan(0);
      expect(result.errors.map((e) => `${e.path} ${e.message}`).join('\n'), name).toMatch(says);
      // Nothing of it comes back that could hurt a terminal, or without end.
      expect(message.payload, name).not.toMatch(/[\u0000-\u001f\u007f-\u009f]|\\u00[01][0-9a-f]|\\u007f/);
      expect(message.payload.length, name).toBeLessThan(20_000);
      await again();
    }
    await untouched();
  });

  it('takes every VLAN there is as one range, and leaves it to policy what may share a port', async () => {
    const trunk = (...allowedVLANs: string[]) => ({
      ...good,
      'worker-2/eno1': on('swp2', { mode: 'trunk', allowedVLANs }),
    });
    const whole = await agent.apply(trunk('1-4094'));
    // With the provider networks' VLANs among them, that is a valid document that asks for too much.
    expect(whole.attachments['worker-2/eno1']).toMatchObject({ state: 'rejected', reason: 'VlanNotAllowed' });
    const rest = ['1-899', '901-3999', '4001-4094'];
    const result = await agent.apply(trunk(...rest));
    expect(result.state).toBe('applied');
    expect(result.attachments['worker-2/eno1']?.readBack?.allowedVLANs).toEqual(rest);
    revision = (await agent.apply(good)).revision ?? 0;
    await switchBecomes(lab, good);
    await truth.verdict();
    settledChanges = truth.changes.length;
  });

  it('takes an empty message as no opinion, and lets nobody but a publisher publish', async () => {
    for (const retain of [true, false])
      expect((await lab.publish({ user: 'ironic', topic: `${agent.base}/intent/ironic`, retain })).accepted).toBe(true);
    const names = [
      'Ironic',
      '-x',
      'x-',
      'x'.repeat(65),
      '__proto__',
      'constructor',
      'ünï',
      'a b',
      '$(reboot)',
      'a;b',
      '\u202ex',
      'stranger',
      ' ',
    ];
    const payload = { revision: 1, attachments: { a: on('swp1', { mode: 'access', nativeVLAN: 999 }) } };
    for (const name of names)
      await lab.publish({ user: 'anyone', topic: `${agent.base}/intent/${name}`, payload, retain: true });
    for (const topic of ['intent', 'intent/', 'intent/ironic/x', 'intents/ironic', 'commands'])
      await lab.publish({ user: 'anyone', topic: `${agent.base}/${topic}`, payload });
    await workedOff();
    const refused = await resultAfter(0, (r) => r.reason === 'PublisherNotAllowed', 'stranger');
    expect(JSON.parse(refused.payload)).toMatchObject({
      state: 'rejected',
      rejectedRevision: 1,
      counts: { applied: 0 },
    });
    const results = new Set(agent.results().map((r) => r.document.publisher));
    expect([...results].sort()).toEqual(['constructor', 'ironic', 'stranger']);
    await untouched();
  });

  it(`stays as it is over ${FUZZ} documents by chance, its memory too`, async () => {
    const base = {
      revision: 5,
      attachments: {
        a: {
          ...on('swp1', { mode: 'trunk', nativeVLAN: 1, allowedVLANs: [2, '3-4'], mtu: 9000 }),
          adminState: 'up',
          network: 'idle',
        },
        b: on('swp2', GOOD, { description: 'x' }),
      },
    };
    const text = JSON.stringify(base);
    const json = fc.json({ maxDepth: 6, noUnicodeString: false }).map((t) => t.replaceAll('\n', ' '));
    const values = text.match(/"[^"]*"(?!:)|[0-9]+/g) ?? [];
    const mutated = fc
      .tuple(
        fc.nat(values.length - 1),
        fc.oneof(
          json,
          fc.string().map((t) => JSON.stringify(t)),
          fc.double().map(String),
          fc.maxSafeInteger().map(String),
        ),
      )
      .map(([at, by]) => text.replace(values[at] ?? '', () => by));
    const cut = fc.tuple(fc.nat(text.length), fc.nat(text.length)).map(([a, b]) => text.slice(0, a) + text.slice(b));
    const odd = fc.string({ unit: 'binary', maxLength: 300 }).map((t) => t.replaceAll('\n', ''));
    const documents = fc.sample(fc.oneof(mutated, json, cut, odd), { numRuns: FUZZ, seed: 42 });
    const send = async (lines: readonly string[]) => {
      const file = fileOf(`${lines.join('\n')}\n`);
      const sent = await lab.publish({ user: 'tenant', topic: `${agent.base}/intent/tenant`, lines: file });
      expect(sent).toEqual({ accepted: true, message: '' });
      // The last one is known, so that its answer says that all were worked off.
      const end = { revision: agent.nextRevision('tenant') + Number.MAX_SAFE_INTEGER - 1000, attachments: {} };
      await lab.publish({ user: 'tenant', topic: `${agent.base}/intent/tenant`, payload: end });
      await resultAfter(0, (r) => r.revision === end.revision || r.rejectedRevision === end.revision, 'tenant');
    };
    await send(documents.slice(0, 100));
    const before = rssKb();
    await send(documents);
    // Documents as large as they may be, and larger.
    for (const size of [900_000, 1_500_000, 900_000, 1_500_000]) {
      const since = Date.now();
      const file = fileOf(`${text.slice(0, -1)}, "x": "${'x'.repeat(size)}"}`);
      await lab.publish({ user: 'tenant', topic: `${agent.base}/intent/tenant`, file });
      await resultAfter(since, (r) => r.state === 'rejected', 'tenant');
    }
    await send(documents);
    expect(rssKb() / before).toBeLessThan(1.6);
    await workedOff();
    await untouched();
  });

  it('answers bad requests that say where to, and only there', async () => {
    const topic = `${agent.base}/command`;
    const cases: [string, string, RegExp][] = [
      ['no JSON', 'hello', /./],
      ['nothing', '', /./],
      ['an unknown command', '{"command": "reboot"}', /command/],
      ['an unknown key', '{"command": "ping", "x": 1}', /x/],
      ['a plan that is none', '{"command": "plan", "publisher": "ironic", "document": {"revision": "x"}}', /revision/],
      ['arrays 10,000 deep', '['.repeat(10_000), /deep/],
      ['2 MiB', `{"command": "${'x'.repeat(2 * 1024 * 1024)}"}`, /1048576/],
    ];
    for (const [index, [name, payload, says]] of cases.entries()) {
      const responseTopic = `${agent.base}/response/ironic/${index}`;
      const content = payload === '' ? {} : { file: fileOf(payload) };
      await lab.publish({ user: 'ironic', topic, ...content, responseTopic, correlationData: `c${index}` });
      const message = await answers.next(`the answer about ${name}`, (m) => m.topic === responseTopic);
      const answer = JSON.parse(message.payload) as ResponseDocument;
      expect(answer, name).toMatchObject({ ok: false });
      expect(answer.errors.map((e) => `${e.path} ${e.message}`).join('\n'), name).toMatch(says);
      expect(message.properties['correlation-data'], name).toBe(`c${index}`);
    }
    const inPayload = { command: 'pong', requestId: 'r1', responseTopic: `${agent.base}/response/ironic/payload` };
    await lab.publish({ user: 'ironic', topic, payload: inPayload, protocol: '3.1.1' });
    const told = await answers.next('an answer', (m) => m.topic === inPayload.responseTopic);
    expect(JSON.parse(told.payload)).toMatchObject({ ok: false, requestId: 'r1', reason: 'Malformed' });

    // Never where others trust what they read.
    const before = agent.viewer.all().length;
    for (const responseTopic of [`${agent.base}/result/ironic`, `${agent.base}/agent`, `${agent.base}/intent/ironic`])
      await lab.publish({ user: 'ironic', topic, payload: { command: 'ping', requestId: 'evil' }, responseTopic });
    await lab.publish({
      user: 'ironic',
      topic,
      payload: { command: 'ping' },
      responseTopic: `${agent.base}/response/ironic/last`,
    });
    await answers.next('the last answer', (m) => m.topic.endsWith('/last'));
    expect(
      agent.viewer
        .all()
        .slice(before)
        .filter((m) => m.payload.includes('evil') && !m.topic.endsWith('/command')),
    ).toEqual([]);
    await untouched();
  });
});
