import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INTENT_LIMITS } from '../../../agent/model/intent.ts';
import { jsonDepth, scanJson } from '../../../agent/mqtt/json-scan.ts';
import { receive as receivePayload, revisionOf } from '../../../agent/mqtt/receive.ts';

const receive = (text: string) => receivePayload(Buffer.from(text));

function refused(text: string | Buffer) {
  const got = receivePayload(Buffer.from(text as string));
  if (got.empty || got.ok) throw new Error(`not refused: ${String(text).slice(0, 80)}`);
  return got;
}

describe('receivePayload', () => {
  it('takes JSON, with or without byte order mark', () => {
    expect(receive(' {"revision": 1, "attachments": {}}\n')).toEqual({
      empty: false,
      ok: true,
      value: { revision: 1, attachments: {} },
    });
    expect(receive('\ufeff{"a":[1,-0.5e3,"\\u00e9",true,null]}')).toMatchObject({
      ok: true,
      value: { a: [1, -500, 'é', true, null] },
    });
  });

  it('tells an empty payload from an empty document', () => {
    expect(receive('')).toEqual({ empty: true });
    expect(refused(' ').reason).toBe('Malformed');
  });

  it('refuses what is too large or too deep without parsing it', () => {
    expect(refused(Buffer.alloc(INTENT_LIMITS.documentBytes + 1, 0x20)).reason).toBe('TooLarge');
    expect(receivePayload(Buffer.alloc(INTENT_LIMITS.documentBytes, 0x20))).toMatchObject({ reason: 'Malformed' });
    expect(refused('['.repeat(INTENT_LIMITS.depth + 1)).reason).toBe('TooLarge');
    expect(refused('['.repeat(1_000_000)).reason).toBe('TooLarge');
    expect(receive(`${'['.repeat(16)}${']'.repeat(16)}`)).toMatchObject({ ok: true });
  });

  it('refuses bytes that are not UTF-8, and NUL in any form', () => {
    expect(refused(Buffer.from([0x22, 0xff, 0x22])).errors[0]?.message).toContain('not UTF-8');
    expect(refused(Buffer.from([0x22, 0xc0, 0x80, 0x22])).errors[0]?.message).toContain('not UTF-8');
    expect(refused('{"a":"\u0000"}').errors[0]?.message).toContain('NUL');
    expect(refused('{"a":["x\\u0000"]}').errors).toEqual([{ path: 'a[0]', message: 'contains a NUL character' }]);
    expect(refused('{"a\\u0000":1}').reason).toBe('Malformed');
  });

  it('refuses a name that comes twice, also when it is written differently, with its path', () => {
    const { errors, revision } = refused('{"revision":7,"attachments":{"w/eno1":{},"\\u0077/eno1":{}}}');
    expect(errors).toHaveLength(1);
    expect(errors[0]?.path).toBe('attachments["w/eno1"]');
    expect(errors[0]?.message).toContain('twice');
    expect(revision).toBe(7);
    expect(refused('{"revision":1,"revision":2}').revision).toBeNull();
    expect(receive('{"a":{"x":1},"b":{"x":1}}')).toMatchObject({ ok: true });
  });

  it('refuses __proto__ and leaves prototypes alone', () => {
    expect(refused('{"attachments":{"__proto__":{"polluted":true}}}').errors[0]?.path).toBe('attachments.__proto__');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(receive('{"constructor":1}')).toMatchObject({ ok: true });
  });

  it('refuses numbers that would be rounded', () => {
    for (const bad of [
      '9007199254740992',
      '9007199254740993',
      '1e400',
      '-1e400',
      '42.00000000000000001',
      '1e-400',
      '9007199254740990.7',
    ]) {
      expect(refused(`{"revision":${bad}}`).errors[0]?.path, bad).toBe('revision');
    }
    for (const good of [
      '0',
      '-0',
      '42',
      '42.0',
      '4.2e1',
      '420e-1',
      '9007199254740991',
      '0e999',
      '1.5',
      '90e14',
      '0.0',
    ]) {
      expect(receive(`{"revision":${good}}`), good).toMatchObject({ ok: true, value: { revision: Number(good) } });
    }
  });

  it('says where a syntax error is, without echoing what could do harm', () => {
    expect(refused('{"revision": 1,\n "attachments": {"a": {"port": }}}').errors).toEqual([
      { path: 'attachments.a.port', message: 'not JSON: expected a value but found "}}}" (line 2, column 32)' },
    ]);
    expect(refused('{"a":1').errors[0]?.message).toContain('the end of the document');
    expect(refused('{"a":\u001b[31m}').errors[0]?.message).not.toContain('\u001b');
    for (const bad of [
      '{a:1}',
      "{'a':1}",
      '[1,]',
      '{"a":1,}',
      '01',
      '1.',
      '.5',
      '+1',
      'nul',
      'NaN',
      '"\t"',
      '"\\x"',
      '"abc',
      '1 2',
      '//',
      '}',
    ]) {
      expect(refused(bad).reason, bad).toBe('Malformed');
    }
  });

  it('bounds the errors it lists', () => {
    const names = Array.from({ length: 500 }, () => '"a":1').join(',');
    expect(refused(`{${names}}`).errors).toHaveLength(20);
  });

  it('accepts exactly what JSON.parse accepts, and never throws', () => {
    const mutated = fc
      .tuple(
        fc.json({ maxDepth: 4 }),
        fc.nat(),
        fc.constantFrom('', '"', '\\', '{', ']', ',', '0', '-', 'e', ' ', '\n', '\u0001', '\u00e9'),
      )
      .map(
        ([text, at, piece]) =>
          `${text.slice(0, at % (text.length + 1))}${piece}${text.slice((at % (text.length + 1)) + 1)}`,
      );
    fc.assert(
      fc.property(fc.oneof(fc.json({ maxDepth: 5 }), mutated, fc.string()), (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (jsonDepth(text) > 100) return;
        expect(scanJson(text).syntax === null, text).toBe(valid);
      }),
      { numRuns: 2000 },
    );
  });

  it('never throws on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void receivePayload(bytes)),
      { numRuns: 2000 },
    );
  });

  it('reads a revision only from something that has one', () => {
    expect(revisionOf({ revision: 3 })).toBe(3);
    for (const none of [
      null,
      1,
      [],
      {},
      { revision: '3' },
      { revision: -1 },
      { revision: 1.5 },
      Object.create({ revision: 3 }),
    ]) {
      expect(revisionOf(none)).toBeNull();
    }
  });
});
