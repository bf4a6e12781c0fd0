import { describe, expect, it } from 'vitest';
import type { LineDone, SwitchModel } from './index.ts';
import { openTerminal } from './terminal.ts';

function inPort() {
  const terminal = openTerminal({ config: ['vlan 10,20'] });
  terminal.runAll('configure terminal', 'interface swp1');
  return { terminal, faults: terminal.sim.faults, model: terminal.sim.model };
}

describe('faults at a line', () => {
  it('cut before: not executed; cut after: executed, no answer', () => {
    for (const when of ['before', 'after'] as const) {
      const { terminal, faults, model } = inPort();
      faults.cutAtLine(2, when);
      terminal.run('switchport mode access');
      expect(terminal.type('switchport access vlan 10\n')).toBe('switchport access vlan 10\r\n');
      expect(terminal.cut).toBe(true);
      expect(model.port('swp1').accessVlan).toBe(when === 'after' ? 10 : 1);
    }
  });

  it('cut in the middle of an answer, at every byte of it', () => {
    const whole = openTerminal().type('show vlan brief\n').slice('show vlan brief\r\n'.length);
    for (const bytes of [0, 1, 100, whole.length]) {
      const terminal = openTerminal();
      terminal.sim.faults.on({ match: 'show vlan brief' }, { kind: 'cut', when: 'answer', bytes });
      expect(terminal.type('show vlan brief\n')).toBe(`show vlan brief\r\n${whole.slice(0, bytes)}`);
      expect(terminal.cut).toBe(true);
    }
  });

  it('refuse and ignore do not execute', () => {
    const { terminal, faults, model } = inPort();
    faults.refuse(/access vlan/, 'Command rejected: TCAM full', 1);
    expect(terminal.run('switchport access vlan 10')).toBe('Command rejected: TCAM full');
    expect(terminal.run('switchport access vlan 10')).toBe('');
    faults.ignore((line, prompt) => line.startsWith('switchport') && prompt.endsWith('(config-if)#'));
    expect(terminal.run('switchport access vlan 20')).toBe('');
    expect(model.port('swp1').accessVlan).toBe(10);
    faults.clear();
    terminal.run('switchport access vlan 20');
    expect(model.port('swp1').accessVlan).toBe(20);
  });

  it('hang never answers, executed or not', async () => {
    for (const executed of [true, false]) {
      const { terminal, faults, model } = inPort();
      faults.on({ nth: 1 }, { kind: 'hang', executed });
      expect(terminal.type('switchport access vlan 10\n')).toBe('switchport access vlan 10\r\n');
      await terminal.clock.advance(3_600_000);
      expect(terminal.type('end\n')).toBe('');
      expect(model.port('swp1').accessVlan).toBe(executed ? 10 : 1);
      expect(terminal.cut).toBe(false);
    }
  });

  it('applies to the n-th matching line and so many times', () => {
    const { terminal, faults } = inPort();
    faults.on({ match: /mtu/, nth: 2, times: 2 }, { kind: 'say', text: 'noise' });
    expect(['mtu 1600', 'speed auto', 'mtu 1700', 'mtu 1800', 'mtu 1900'].map((l) => terminal.run(l))).toEqual([
      '',
      '',
      'noise',
      'noise',
      '',
    ]);
  });

  it('log messages come into an answer, after a prompt or into an echo', () => {
    const { terminal, faults } = inPort();
    const text = '%SYS-6-LOGOUT: User bob has exited tty session 3';
    const stamped = `*Jan  1 00:00:00.000: ${text}`;
    faults.on({}, { kind: 'syslog', text, where: 'answer' });
    expect(terminal.run('mtu 1600')).toBe(stamped);
    faults.on({}, { kind: 'syslog', text, where: 'after-prompt' });
    expect(terminal.type('mtu 1600\n')).toBe(`mtu 1600\r\ntor1(config-if)#\r\n${stamped}\r\n`);
    faults.syslogInEcho(3, text);
    expect(terminal.type('mtu 1600\n')).toBe(`mtu\r\n${stamped}\r\n\r\ntor1(config-if)#mtu 1600\r\ntor1(config-if)#`);
  });

  it('a person does something just before a line', () => {
    const { terminal, faults, model } = inPort();
    faults.on(
      { match: 'mtu 1600' },
      { kind: 'do', run: () => terminal.sim.byHand(['interface swp2', 'switchport access vlan 20']) },
    );
    terminal.run('mtu 1600');
    expect(model.port('swp2').accessVlan).toBe(20);
    expect(model.port('swp1').mtu).toBe(1600);
    expect(faults.lines.some(({ line }) => line.includes('swp2'))).toBe(false);
  });

  it('a reload in the middle loses what was typed', () => {
    const { terminal, faults, model } = inPort();
    faults.on({ match: 'switchport mode access' }, { kind: 'do', run: () => terminal.sim.reboot() });
    terminal.runAll('switchport access vlan 10', 'switchport mode access');
    expect(model.port('swp1').accessVlan).toBe(1);
  });
});

describe('faults of the switch', () => {
  it('a person holds the configuration for a time', async () => {
    const terminal = openTerminal();
    terminal.sim.faults.lockConfig({ user: 'alice', terminal: '3', pid: 77 }, 60_000);
    expect(terminal.run('configure terminal')).toBe(
      "Configuration mode is locked by process '77' user 'alice' from terminal '3'. Please try later.\n",
    );
    expect(terminal.prompt()).toBe('tor1#');
    await terminal.clock.advance(60_000);
    expect(terminal.run('configure terminal')).toBe('Enter configuration commands, one per line.  End with CNTL/Z.');
  });

  it('saving fails as often as told', () => {
    const { terminal, faults, model } = inPort();
    terminal.runAll('mtu 1600', 'end');
    faults.failSaves(1);
    expect(terminal.run('write memory')).toBe('startup-config file open failed (Device or resource busy)\n');
    expect(model.unsaved).toBe(true);
    expect(terminal.run('write memory')).toBe('Building configuration...\n[OK]');
    expect(model.unsaved).toBe(false);
  });

  it('another box has the factory configuration and another identity', () => {
    const { terminal, model } = inPort();
    terminal.runAll('switchport access vlan 10', 'end', 'write memory');
    terminal.sim.replace({ serial: 'NEW1', hostKey: 'keep' });
    expect(model.port('swp1').accessVlan).toBe(1);
    expect(model.serial).toBe('NEW1');
    expect(model.config.vlans.has(10)).toBe(false);
  });
});

describe('what tests can see', () => {
  it('onLine is told of every line after it took effect', () => {
    const { terminal, faults } = inPort();
    const seen: LineDone<SwitchModel>[] = [];
    const vlans: (number | null)[] = [];
    faults.onLine((done) => {
      seen.push(done);
      vlans.push(done.model.carried('swp1').untagged);
    });
    faults.ignore('shutdown', 1);
    terminal.runAll('switchport access vlan 10', 'shutdown', 'bad line', 'shutdown');
    expect(vlans).toEqual([10, 10, 10, null]);
    expect(seen.map(({ executed, rejected, prompt }) => [executed, rejected, prompt])).toEqual([
      [true, false, 'tor1(config-if)#'],
      [false, false, 'tor1(config-if)#'],
      [true, true, 'tor1(config-if)#'],
      [true, false, 'tor1(config-if)#'],
    ]);
    expect(seen.map(({ number }) => number - (seen[0]?.number ?? 0))).toEqual([0, 1, 2, 3]);
  });

  it('onLine is told also when the answer is cut, and keeps what a listener throws', () => {
    const { terminal, faults } = inPort();
    faults.onLine(({ line }) => {
      throw new Error(`broken rule at ${line}`);
    });
    faults.cutAtLine(1, 'after');
    terminal.run('mtu 1600');
    expect(faults.listenerErrors.map(String)).toEqual(['Error: broken rule at mtu 1600']);
  });

  it('a refused configuration at start is an error', () => {
    expect(() => openTerminal({ config: ['interface swp99'] })).toThrow(
      'the simulated switch refused "interface swp99"',
    );
  });
});
