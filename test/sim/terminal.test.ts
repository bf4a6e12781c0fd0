import { describe, expect, it } from 'vitest';
import { LINE_LIMIT } from './line-editor.ts';
import { openTerminal, Terminal } from './terminal.ts';

/** What is on a terminal's current line after the given bytes: carriage return, backspace and line feed obeyed. */
function screenLine(bytes: string): string {
  let line: string[] = [];
  let column = 0;
  for (const c of bytes) {
    if (c === '\n') line = [];
    else if (c === '\r') column = 0;
    else if (c === '\b') column = Math.max(0, column - 1);
    else if (c >= ' ') line[column++] = c;
  }
  return line.join('').trimEnd();
}

describe('prompts', () => {
  it('shows the mode, and > without privilege', () => {
    const terminal = new Terminal({}, 1);
    expect(terminal.take()).toBe('\r\ntor1>');
    const enabled = openTerminal();
    const prompts = ['conf t', 'int swp1', 'int range swp1-2', 'vlan 10'].map((line) => {
      enabled.run(line);
      return enabled.prompt();
    });
    expect(prompts).toEqual(['tor1(config)#', 'tor1(config-if)#', 'tor1(config-if-range)#', 'tor1(config-vlan)#']);
  });

  it('cuts a long hostname in configuration mode, never below 16 characters', () => {
    const terminal = openTerminal({ hostname: 'rack-07-top-of-rack-switch-a' });
    expect(terminal.prompt()).toBe('rack-07-top-of-rack-switch-a#');
    terminal.run('conf t');
    expect(terminal.prompt()).toBe('rack-07-top-of-rack-(config)#');
    terminal.run('interface range swp1 - 2');
    expect(terminal.prompt()).toBe('rack-07-top-of-r(config-if-range)#');
  });

  it('prints the message of the day before the first prompt', () => {
    const terminal = new Terminal({ motd: '### staff> ###\nand more #' });
    expect(terminal.take()).toBe('\r\n### staff> ###\r\nand more #\r\n\r\ntor1#');
  });
});

describe('commands and their errors', () => {
  it('takes unambiguous abbreviations in any case', () => {
    const terminal = openTerminal();
    expect(terminal.run('SH PRIV')).toBe('Current privilege level is 15');
    expect(terminal.run('sh int swp1 sw')).toContain('Name: swp1');
    terminal.runAll('conf t', 'in swp1', 'sw acc vl 10');
    expect(terminal.sim.model.port('swp1').accessVlan).toBe(10);
  });

  it('puts the caret under the place where a line goes wrong', () => {
    const terminal = openTerminal();
    terminal.runAll('conf t', 'interface swp1');
    const shown = terminal.type('switchport mode acess\n').split('\r\n');
    expect(shown).toEqual([
      'switchport mode acess',
      `${' '.repeat('tor1(config-if)#switchport mode ac'.length)}^`,
      "% Invalid input detected at '^' marker.",
      '',
      'tor1(config-if)#',
    ]);
  });

  it('says incomplete, ambiguous and unknown', () => {
    const terminal = openTerminal();
    expect(terminal.run('show')).toBe('% Incomplete command.\n');
    expect(terminal.run('show v')).toBe('% Ambiguous command:  "show v"\n');
    expect(terminal.run('frobnicate')).toBe('% Unknown command or computer name, or unable to find computer address\n');
    terminal.runAll('conf t', 'int swp1');
    expect(terminal.run('s')).toBe('% Ambiguous command:  "s"\n');
    expect(terminal.run('switchport access vlan')).toBe('% Incomplete command.\n');
  });

  it('shows less to a user without privilege', () => {
    const terminal = new Terminal({ enableSecret: 'sesame' }, 1);
    expect(terminal.run('show running-config')).toContain('% Invalid input');
    expect(terminal.run('configure terminal')).toContain('% Invalid input');
    expect(terminal.run('show privilege')).toBe('Current privilege level is 1');
  });

  it('enable asks for the password without echo and gives three tries', () => {
    const terminal = new Terminal({ enableSecret: 'sesame' }, 1);
    expect(terminal.type('enable\n')).toBe('enable\r\nPassword: ');
    expect(terminal.type('wrong\n')).toBe('\r\nPassword: ');
    terminal.type('wrong\n');
    expect(terminal.type('wrong\n')).toBe('\r\n% Bad secrets\r\n\r\ntor1>');
    terminal.type('enable\n');
    expect(terminal.type('sesame\n')).toBe('\r\ntor1#');
    expect(terminal.sim.faults.lines.some(({ line }) => line.includes('sesame'))).toBe(false);
    expect(new Terminal({}, 1).run('enable')).toBe('% No password set');
  });

  it('filters show output', () => {
    const terminal = openTerminal();
    expect(terminal.run('show vlan brief | include default$|^1 ')).toContain('1    default');
    expect(terminal.run('show running-config | section interface swp3')).toBe('interface swp3');
    expect(terminal.run('show running-config | count ^interface swp')).toContain('regexp = 8');
  });
});

describe('keys', () => {
  it('echoes, erases and ends a line with CR, LF or CR LF', () => {
    const terminal = openTerminal();
    expect(terminal.type('show prix\b\x7fiv')).toBe('show prix\b \b\b \biv');
    expect(terminal.type('\r\n')).toBe('\r\nCurrent privilege level is 15\r\ntor1#');
    expect(terminal.type('rubbish\x15show clock\r')).toContain('UTC');
    // The first LF belongs to the CR before it.
    expect(terminal.type('\n\r\n\n')).toBe('\r\ntor1#\r\ntor1#');
  });

  it('Ctrl-C drops the line and leaves configuration mode', () => {
    const terminal = openTerminal();
    terminal.runAll('conf t', 'int swp1');
    expect(terminal.type('shutdown\x03')).toBe('shutdown\r\ntor1#');
    expect(terminal.sim.model.port('swp1').shutdown).toBe(false);
  });

  it('Ctrl-Z executes the line and leaves configuration mode', () => {
    const terminal = openTerminal();
    terminal.runAll('conf t', 'int swp1');
    expect(terminal.type('shutdown\x1a')).toBe('shutdown^Z\r\ntor1#');
    expect(terminal.sim.model.port('swp1').shutdown).toBe(true);
  });

  it('? helps at once, also in the middle of a line, and Ctrl-V makes it a character', () => {
    const terminal = openTerminal();
    terminal.runAll('conf t', 'int swp1');
    expect(terminal.type('switchport mode ?')).toBe(
      'switchport mode ?\r\n  access\r\n  dynamic\r\n  trunk\r\n\r\ntor1(config-if)#switchport mode ',
    );
    terminal.type('\x15');
    terminal.type('description why\x16?\n');
    expect(terminal.sim.model.port('swp1').description).toBe('why?');
  });

  it('Tab completes, escape sequences are swallowed', () => {
    const terminal = openTerminal();
    expect(terminal.type('sh\t')).toBe('sh\r\ntor1#show ');
    expect(terminal.type('\x1b[A\x1b[1;5Cpriv\n')).toContain('Current privilege level');
  });

  it('rings the bell for what is over the line limit and takes the cut line', () => {
    const terminal = openTerminal();
    terminal.runAll('conf t', 'int swp1', 'switchport trunk allowed vlan none');
    const start = 'switchport trunk allowed vlan ';
    const list = `100,${Array.from({ length: 80 }, (_, i) => 1000 + 2 * i).join(',')}`;
    const answer = terminal.type(`${start}${list}\n`);
    expect(answer.match(/\x07/g)?.length).toBe(start.length + list.length - LINE_LIMIT);
    expect(answer).toContain('Command rejected: Bad VLAN list - character #224 is a comma at end of list.');
    expect(terminal.sim.model.port('swp1').allowed.size).toBe(0);
    // Cut behind a number, the line is a good one that means fewer VLANs.
    expect(terminal.run(start + list.slice(4))).toBe('');
    expect(terminal.sim.model.port('swp1').allowed.size).toBeLessThan(80);
  });

  it('what is typed while a command runs waits for its turn', async () => {
    const terminal = openTerminal();
    terminal.sim.faults.thinkMs = 100;
    expect(terminal.type('show privilege\nshow clock\n')).toBe('show privilege\r\n');
    await terminal.clock.advance(100);
    expect(terminal.take()).toBe('Current privilege level is 15\r\ntor1#show clock\r\n');
    await terminal.clock.advance(100);
    expect(terminal.take()).toContain('UTC');
  });
});

describe('width', () => {
  const line = 'switchport trunk allowed vlan 10,20,30,40,50,60,70,80,90,100,110,120,130';

  it('a line that reaches the margin scrolls behind a $, and arrives whole', () => {
    const terminal = new Terminal({});
    terminal.runAll('conf t', 'int swp1');
    const echo = terminal.type(line);
    expect(echo).not.toBe(line);
    expect(screenLine(`tor1(config-if)#${echo}`)).toMatch(/^tor1\(config-if\)#\$.*,120,130$/);
    expect(screenLine(`tor1(config-if)#${echo}`).length).toBeLessThan(80);
    expect(terminal.type('\n')).toBe('\r\ntor1(config-if)#');
    expect(terminal.sim.model.port('swp1').allowed.size).toBe(13);
  });

  it.each(['terminal width 512', 'terminal width 0'])('after %s the echo is the line itself', (command) => {
    const terminal = new Terminal({});
    terminal.runAll(command, 'conf t', 'int swp1');
    expect(terminal.type(line)).toBe(line);
  });
});

describe('paging', () => {
  const erased = '\b\b\b\b\b\b\b\b\b        \b\b\b\b\b\b\b\b\b';

  it('stops after a page; space turns it, Enter shows a line, q ends', () => {
    const terminal = new Terminal({ motd: '' });
    const first = terminal.type('show running-config\n');
    expect(first.endsWith(' --More-- ')).toBe(true);
    expect(first.split('\r\n').length).toBe(25);
    const line = terminal.type('\r');
    expect(line.startsWith(erased)).toBe(true);
    expect(line.slice(erased.length).split('\r\n').length).toBe(2);
    expect(terminal.type('q')).toBe(`${erased}tor1#`);
  });

  it('shows everything once when paged through', () => {
    const whole = openTerminal().run('show interfaces');
    const terminal = new Terminal({});
    let text = terminal.type('show interfaces\n');
    while (text.endsWith(' --More-- ')) text = text.slice(0, -10) + terminal.type(' ').replace(erased, '');
    expect(text).toBe(`show interfaces\r\n${whole.replaceAll('\n', '\r\n')}\r\ntor1#`);
  });

  it('is off with length 0', () => {
    const terminal = new Terminal({});
    terminal.run('terminal length 0');
    expect(terminal.type('show interfaces\n')).not.toContain('--More--');
  });
});

describe('log messages', () => {
  it('appear only with terminal monitor, and a half-typed line is drawn again', () => {
    const terminal = openTerminal();
    terminal.type('show pri');
    terminal.sim.model.log('%TEST-5-QUIET: not shown');
    expect(terminal.take()).toBe('');
    terminal.type('v\n');
    terminal.run('terminal monitor');
    terminal.type('show pri');
    terminal.sim.model.log('%TEST-5-LOUD: shown');
    expect(terminal.take()).toBe('\r\n*Jan  1 00:00:00.000: %TEST-5-LOUD: shown\r\n\r\ntor1#show pri');
    expect(terminal.type('v\n')).toContain('Current privilege level is 15');
    terminal.run('terminal no monitor');
    terminal.sim.model.log('%TEST-5-QUIET: not shown');
    expect(terminal.take()).toBe('');
  });

  it('tell of links, shut ports and configuration', () => {
    const terminal = openTerminal({ monitorByDefault: true });
    terminal.sim.cable('swp1', { chassisId: 'x', portId: 'y' });
    expect(terminal.take()).toContain('%LINK-3-UPDOWN: Interface swp1, changed state to up');
    terminal.runAll('conf t', 'int swp1');
    expect(terminal.run('shutdown')).toContain(
      '%LINK-5-CHANGED: Interface swp1, changed state to administratively down',
    );
    expect(terminal.run('end')).toContain('%SYS-5-CONFIG_I: Configured from console by console on vty0');
  });

  it('leave with the session', () => {
    const terminal = openTerminal();
    terminal.type('exit\n');
    expect(terminal.ended).toBe(true);
    expect(terminal.type('show clock\n')).toBe('');
  });
});
