import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { planSchema } from '../../../agent/model/command.ts';
import { eventSchema, neighborsSchema, portsSchema, resultSchema } from '../../../agent/model/report.ts';
import { http, type RunningApi, runApi } from '../../support/local-api.ts';

let api: RunningApi;
let status: string;
let control: string;

beforeAll(async () => {
  api = await runApi({ headersTimeoutMs: 1500 });
  status = join(api.dir, 'status.sock');
  control = join(api.dir, 'control.sock');
});
afterAll(() => api.close());
afterEach(() => {
  api.control.asked.length = 0;
  api.control.answer = async () => {};
});

describe('reading', () => {
  it('answers every document in its published shape', async () => {
    const ports = (await http(status, '/v1/ports')).json as { switches: unknown[] };
    expect(ports.switches).toHaveLength(2);
    for (const document of ports.switches) portsSchema.parse(document);
    const neighbors = (await http(status, '/v1/neighbors')).json as { switches: unknown[] };
    for (const document of neighbors.switches) neighborsSchema.parse(document);
    planSchema.parse((await http(status, '/v1/plan')).json);
    const intents = (await http(status, '/v1/intents')).json as { publishers: { result: unknown }[] };
    resultSchema.parse(intents.publishers[0]?.result);
    const events = (await http(status, '/v1/events')).json as { events: unknown[] };
    expect(events.events.map((event) => eventSchema.parse(event).sequence)).toEqual([1, 2]);
    expect((await http(status, '/v1/status')).json['pid']).toBe(4711);
  });

  it('narrows to a switch, to problems and to events', async () => {
    const one = (await http(status, '/v1/ports?switch=tor2')).json as { switches: { switch: string }[] };
    expect(one.switches.map((s) => s.switch)).toEqual(['tor2']);
    const bad = (await http(status, '/v1/ports?problems=1&switch=tor1')).json as {
      switches: { ports: { name: string }[] }[];
    };
    expect(bad.switches[0]?.ports.map((p) => p.name)).toEqual(['swp3', 'swp4']);
    const events = async (query: string) =>
      ((await http(status, `/v1/events?${query}`)).json as { events: { sequence: number }[] }).events.map(
        (e) => e.sequence,
      );
    expect(await events('after=1')).toEqual([2]);
    expect(await events('limit=1')).toEqual([2]);
    expect(await events('limit=0')).toEqual([]);
  });

  it('finds a port by query and by path, slashes included', async () => {
    const byQuery = await http(status, '/v1/port?name=Ethernet1%2F3&switch=tor1');
    const byPath = await http(status, '/v1/ports/Ethernet1/3?switch=tor1');
    expect(byQuery.json).toMatchObject({ switch: 'tor1', port: { name: 'swp3' } });
    expect(byPath.body).toBe(byQuery.body);
    expect((await http(status, '/v1/ports/Ethernet1%2F3?switch=tor1')).body).toBe(byQuery.body);
  });

  it('says when a name fits several ports or none, with what may have been meant', async () => {
    const several = await http(status, '/v1/port?name=swp1');
    expect(several.status).toBe(409);
    expect(several.json.error).toMatchObject({
      reason: 'PortAmbiguous',
      candidates: [
        { switch: 'tor1', port: 'swp1' },
        { switch: 'tor2', port: 'swp1' },
      ],
    });
    const none = await http(status, '/v1/port?name=tor1:swp522');
    expect(none.status).toBe(404);
    expect(none.json.error).toMatchObject({ reason: 'PortUnknown', near: expect.arrayContaining(['swp52']) });
    const noSwitch = await http(status, '/v1/ports?switch=tro1');
    expect(noSwitch.json.error).toMatchObject({ reason: 'SwitchUnknown', near: ['tor1'] });
  });

  it('says ok or what is wrong with its health', async () => {
    expect((await http(status, '/v1/health')).json).toMatchObject({ ok: true, health: [{ code: 'ConfigRefused' }] });
    const { agent } = api.reader;
    api.reader.agent = { ...agent, health: agent.health.map((item) => ({ ...item, severity: 'error' })) };
    expect((await http(status, '/v1/health')).json['ok']).toBe(false);
    api.reader.agent = agent;
  });

  it('hides a defect of the agent and logs it', async () => {
    const { plan } = api.reader;
    api.reader.plan = () => {
      throw new Error('secret detail');
    };
    const answer = await http(status, '/v1/plan');
    api.reader.plan = plan;
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('secret detail');
    expect(api.lines).toContain('error a request to the local API failed');
  });
});

describe('safety', () => {
  it('sends headers that keep browsers out', async () => {
    const { headers } = await http(status, '/v1/nothing');
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'portkeeper-api': '1',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each([
    ['Origin', { origin: 'http://localhost' }],
    ['Referer', { referer: 'http://localhost/' }],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
    ['a rebound Host', { host: 'evil.example' }],
  ])('refuses a request with %s', async (_, headers) => {
    const answer = await http(status, '/v1/status', { headers });
    expect(answer.status).toBe(403);
    expect(answer.json.error?.['reason']).toBe('Forbidden');
  });

  it.each(['localhost', 'localhost:80', 'portkeeper', '127.0.0.1'])('takes the host %s', async (host) => {
    expect((await http(status, '/v1/health', { headers: { host } })).status).toBe(200);
  });

  it('lists the routes for an unknown one', async () => {
    for (const path of ['/', '/v1', '/v1/', '/v1/statu', '/v1/status/', '/v1/ports/', '/v2/status']) {
      const answer = await http(status, path);
      expect(answer.status, path).toBe(404);
      expect(answer.json.error?.['near']).toContain('GET /v1/ports/NAME');
    }
  });

  it('checks methods', async () => {
    const wrong = await http(status, '/v1/status', { method: 'DELETE' });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.allow).toBe('GET');
    expect((await http(control, '/v1/refresh')).headers.allow).toBe('POST');
    const head = await http(status, '/v1/status', { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, '']);
  });

  it.each([
    '/v1/status?x=1',
    '/v1/ports?swich=tor1',
    '/v1/ports?switch=tor1&switch=tor2',
    '/v1/ports?problems=yes',
    '/v1/events?after=-1',
    '/v1/events?after=1e3',
    '/v1/events/stream?after=x',
    '/v1/port',
    '/v1/port?name=',
    `/v1/port?name=${'x'.repeat(300)}`,
    '/v1/ports/%ff',
  ])('refuses %s', async (path) => {
    const answer = await http(status, path);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({
      reason: 'BadRequest',
      message: expect.any(String),
      fix: expect.any(String),
    });
  });

  it('refuses bodies, long headers and other targets', async () => {
    expect((await http(status, '/v1/status', { body: 'x', headers: { 'content-length': 1 } })).status).toBe(413);
    expect((await http(control, '/v1/refresh', { method: 'POST', body: '{"switch":"tor1"}' })).status).toBe(413);
    expect(api.control.asked).toEqual([]);
    expect((await http(status, '/v1/status', { headers: { 'x-long': 'x'.repeat(20_000) } })).status).toBe(431);
    expect((await http(status, 'http://evil.example/v1/status')).status).toBe(400);
    expect((await http(status, '//evil.example/v1/status')).status).toBe(400);
  });

  it('cuts off a client that sends nothing, or never ends its headers', async () => {
    const cut = (text: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(status, () => socket.write(text));
        let answer = '';
        socket.on('data', (data) => {
          answer += data;
        });
        socket.on('close', () => resolve(answer));
      });
    const answers = await Promise.all([cut('GET /v1/status HTTP/1.1\r\nHost: localhost\r\n'), cut(' ')]);
    expect(answers[0]).toContain('408');
    expect((await http(status, '/v1/health')).status).toBe(200);
  });
});

describe('acting', () => {
  it('is not offered on the read-only socket', async () => {
    const answer = await http(status, '/v1/refresh', { method: 'POST' });
    expect(answer.status).toBe(403);
    expect(answer.json.error?.['reason']).toBe('ReadOnlySocket');
    expect(api.control.asked).toEqual([]);
  });

  it('asks for one switch or all', async () => {
    expect((await http(control, '/v1/refresh?switch=tor1', { method: 'POST' })).json).toEqual({
      done: true,
      action: 'refresh',
      switch: 'tor1',
    });
    await http(control, '/v1/reconcile', { method: 'POST' });
    await http(control, '/v1/accept?switch=tor2', { method: 'POST' });
    expect((await http(control, '/v1/accept', { method: 'POST' })).status).toBe(400);
    expect((await http(control, '/v1/refresh?switch=tor9', { method: 'POST' })).status).toBe(404);
    expect(api.control.asked).toEqual(['refresh tor1', 'reconcile *', 'accept tor2']);
  });

  it('tells why an action failed', async () => {
    api.control.answer = () => Promise.reject(new Error('tor2 does not answer\u001b[31m'));
    const answer = await http(control, '/v1/refresh', { method: 'POST' });
    expect(answer.status).toBe(502);
    expect(answer.json.error).toMatchObject({ reason: 'ActionFailed', message: 'tor2 does not answer\ufffd[31m' });
  });

  it('holds up nobody while it waits, and takes no more than eight at once', async () => {
    const releases: (() => void)[] = [];
    api.control.answer = () => new Promise((resolve) => releases.push(resolve));
    const waiting = Array.from({ length: 8 }, () => http(control, '/v1/refresh', { method: 'POST' }));
    while (releases.length < 8) await http(control, '/v1/health');
    const ninth = await http(control, '/v1/refresh', { method: 'POST' });
    expect(ninth.json.error?.['reason']).toBe('TooManyActions');
    for (const release of releases) release();
    expect((await Promise.all(waiting)).map((answer) => answer.status)).toEqual(Array(8).fill(200));
  });
});
