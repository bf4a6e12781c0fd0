import { describe, expect, it } from 'vitest';
import { applySteps, type LineDialect, type LineShell } from '../../../drivers/cli/apply-steps.ts';
import type { Step } from '../../../drivers/driver.ts';
import { DriverError } from '../../../drivers/errors.ts';

const DIALECT: LineDialect = {
  configMode: 'config',
  modeAfter: [
    [/^interface /, 'config-if'],
    [/^vlan /, 'config-vlan'],
    [/^exit$/, 'config'],
  ],
  vlansOf: /^access vlan (\d+)$/,
  locked: /is locked/,
};

/** Records what is sent; answers are accepted unless `answers` throws. */
function shell(answers: (command: string) => void = () => {}) {
  const sent: string[] = [];
  const line: LineShell = {
    async toMode(mode) {
      sent.push(`-> ${mode}`);
      answers(`-> ${mode}`);
    },
    async send(command, options) {
      sent.push(`${command} @${options?.expectMode}`);
      answers(command);
      return { output: '', mode: options?.expectMode ?? '', prompt: '' };
    },
  };
  return { line, sent };
}

const refuse =
  (what: string, kind: 'rejected' | 'timeout' = 'rejected', answer = '% no') =>
  (command: string) => {
    if (command === what) throw new DriverError(kind, `refused "${command}"`, { command, answer });
  };
const port = (name: string, vlan: number): Step => ({
  kind: 'port',
  subject: name,
  commands: [`interface ${name}`, `access vlan ${vlan}`, 'exit'],
});
const vlan = (id: number): Step => ({ kind: 'vlan-create', subject: `${id}`, commands: [`vlan ${id}`, 'exit'] });

describe('applySteps', () => {
  it('sends line by line and expects each line to end in its mode', async () => {
    const { line, sent } = shell();
    const results = await applySteps(line, [vlan(5), port('p1', 5)], DIALECT);
    expect(results.map((r) => r.error)).toEqual([null, null]);
    expect(sent).toEqual([
      '-> config',
      'vlan 5 @config-vlan',
      'exit @config',
      '-> config',
      'interface p1 @config-if',
      'access vlan 5 @config-if',
      'exit @config',
    ]);
    expect(results[1]?.exchanges).toHaveLength(3);
  });

  it('sends nothing more of a refused step, and goes on with the next one from config mode', async () => {
    const { line, sent } = shell(refuse('interface p1'));
    const results = await applySteps(line, [port('p1', 5), port('p2', 6)], DIALECT);
    expect(results.map((r) => r.error?.kind ?? null)).toEqual(['rejected', null]);
    expect(results[0]?.error).toMatchObject({ port: 'p1', answer: '% no', command: 'interface p1' });
    expect(sent.slice(0, 4)).toEqual(['-> config', 'interface p1 @config-if', '-> config', 'interface p2 @config-if']);
    expect(sent).not.toContain('access vlan 5 @config-if');
  });

  it('does not touch a port whose VLAN could not be created', async () => {
    const { line, sent } = shell(refuse('vlan 5'));
    const results = await applySteps(line, [vlan(5), port('p1', 5), port('p2', 6)], DIALECT);
    expect(results.map((r) => r.error?.kind ?? null)).toEqual(['rejected', 'rejected', null]);
    expect(results[1]?.error?.message).toContain('VLAN 5');
    expect(sent.join()).not.toContain('interface p1');
  });

  it('says busy for every step, and sends nothing, while somebody holds the configuration', async () => {
    const { line, sent } = shell(refuse('-> config', 'rejected', "Configuration mode is locked by process '77'"));
    const results = await applySteps(line, [vlan(5), port('p1', 5)], DIALECT);
    expect(results.map((r) => [r.step.subject, r.error?.kind])).toEqual([
      ['5', 'busy'],
      ['p1', 'busy'],
    ]);
    expect(sent).toEqual(['-> config']);
  });

  it('keeps the results of what was done when the configuration is taken in between', async () => {
    let entered = 0;
    const { line } = shell((command) => {
      if (command === '-> config' && ++entered === 2) refuse(command, 'rejected', 'is locked')(command);
    });
    const results = await applySteps(line, [port('p1', 5), port('p2', 5), port('p3', 5)], DIALECT);
    expect(results.map((r) => r.error?.kind ?? null)).toEqual([null, 'busy', 'busy']);
    expect(results.map((r) => r.step.subject)).toEqual(['p1', 'p2', 'p3']);
  });

  it.each([
    ['access vlan 5', 'timeout' as const],
    ['-> config', 'timeout' as const],
    ['-> config', 'rejected' as const],
  ])('throws when the session is lost at "%s" (%s)', async (command, kind) => {
    const { line } = shell(refuse(command, kind));
    const thrown = await applySteps(line, [port('p1', 5), port('p2', 6)], DIALECT).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(DriverError);
    expect(thrown instanceof DriverError && thrown.sessionLost).toBe(true);
  });
});
