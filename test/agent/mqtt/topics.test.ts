import { describe, expect, it } from 'vitest';
import { isTopicName, parseTopic, responseTopicProblem, TOPICS, topics } from '../../../agent/mqtt/topics.ts';

describe('topics', () => {
  const t = topics('site/a/portkeeper/v1', 'rack-7');

  it('builds every topic below prefix and rack', () => {
    expect(t.base).toBe('site/a/portkeeper/v1/rack-7');
    expect(t.intent('ironic')).toBe(`${t.base}/intent/ironic`);
    expect(t.result('ironic')).toBe(`${t.base}/result/ironic`);
    expect(t.ports('tor1')).toBe(`${t.base}/switch/tor1/ports`);
    expect(t.neighbors('tor1')).toBe(`${t.base}/switch/tor1/neighbors`);
    expect([t.command, t.agent, t.event]).toEqual(['command', 'agent', 'event'].map((k) => `${t.base}/${k}`));
  });

  it('subscribes to exactly what comes in, with QoS 1', () => {
    expect(t.subscriptions).toEqual([
      { filter: `${t.base}/intent/+`, qos: 1, retained: true },
      { filter: `${t.base}/command`, qos: 1, retained: false },
    ]);
    expect(Object.values(TOPICS).filter((spec) => spec.direction === 'in')).toHaveLength(t.subscriptions.length);
  });

  it('keeps a name with "$&" as it is', () => {
    expect(t.ports('$&')).toBe(`${t.base}/switch/$&/ports`);
  });

  it('reads inbound topics and nothing else', () => {
    expect(parseTopic(t.base, t.intent('ironic'))).toEqual({ kind: 'intent', publisher: 'ironic' });
    expect(parseTopic(t.base, t.command)).toEqual({ kind: 'command' });
    expect(parseTopic(t.base, `${t.base}/intent/Bad_Name`)).toEqual({ kind: 'bad-publisher', level: 'Bad_Name' });
    expect(parseTopic(t.base, `${t.base}/intent/`)).toEqual({ kind: 'bad-publisher', level: '' });
    for (const other of [
      t.agent,
      `${t.base}/intent`,
      `${t.base}/intent/a/b`,
      `${t.base}x/command`,
      'command',
      '',
      t.base,
    ]) {
      expect(parseTopic(t.base, other)).toBeNull();
    }
  });

  it('knows what can be published to', () => {
    expect(isTopicName('a/b c/ü')).toBe(true);
    for (const bad of ['', 'a/#', 'a/+/b', 'a\u0000', 'a\nb', '\ud800', 'x'.repeat(1025)])
      expect(isTopicName(bad)).toBe(false);
  });

  it('answers only where nobody is misled', () => {
    const prefix = 'portkeeper/v1';
    expect(responseTopicProblem(prefix, 'my/answers/1')).toBeNull();
    expect(responseTopicProblem(prefix, 'portkeeper/v1/rack-7/response/ironic/1')).toBeNull();
    expect(responseTopicProblem(prefix, 'portkeeper/v10/x')).toBeNull();
    for (const bad of [
      'portkeeper/v1/rack-7/intent/tenant',
      'portkeeper/v1/rack-7/agent',
      'portkeeper/v1/rack-8/result/ironic',
      'portkeeper/v1/response/x',
      'portkeeper/v1',
      '$SYS/x',
      '#',
      '',
    ]) {
      expect(responseTopicProblem(prefix, bad)).toEqual(expect.stringContaining('response topic'));
    }
  });
});
