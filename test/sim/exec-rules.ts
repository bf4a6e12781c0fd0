import type { CommandContext } from './command-context.ts';
import type { Rule } from './grammar.ts';

const ENTER_CONFIG = 'Enter configuration commands, one per line.  End with CNTL/Z.';

function configure(context: CommandContext): void {
  const lock = context.system.faults.configLock();
  if (lock) {
    const holder = `process '${lock.pid}' user '${lock.user}' from terminal '${lock.terminal}'`;
    context.reject(`Configuration mode is locked by ${holder}. Please try later.`, '');
    return;
  }
  context.print(ENTER_CONFIG);
  context.state.mode = { kind: 'config' };
}

function askSource(context: CommandContext): void {
  context.ask('Configuring from terminal, memory, or network [terminal]? ', 'line', (answer) => {
    if ('terminal'.startsWith(answer.trim().toLowerCase())) configure(context);
    else context.reject('?Must be "terminal", "memory" or "network"');
  });
}

/** Saves as long as the switch takes; the answer ends in [OK] only when it is really saved. */
function save(context: CommandContext): void {
  const { faults, model } = context.system;
  const failure = faults.takeSaveFailure();
  if (failure !== null) {
    context.reject(failure, '');
    return;
  }
  context.print('Building configuration...');
  context.wait(faults.saveMs, () => {
    model.save();
    context.print('[OK]');
  });
}

function copyToStartup(context: CommandContext): void {
  context.ask('Destination filename [startup-config]? ', 'line', (answer) => {
    if (['', 'startup-config'].includes(answer.trim())) save(context);
    else context.reject(`%Error opening ${answer.trim().slice(0, 40)} (No such file or directory)`);
  });
}

function reload(context: CommandContext): void {
  const proceed = () =>
    context.ask('Proceed with reload? [confirm]', 'key', (key) => {
      if (['', 'y', 'Y'].includes(key)) context.system.reload();
    });
  if (!context.model.unsaved) {
    proceed();
    return;
  }
  context.ask('\r\nSystem configuration has been modified. Save? [yes/no]: ', 'line', (answer) => {
    const word = answer.trim().toLowerCase();
    const yes = word !== '' && 'yes'.startsWith(word);
    if (!yes && (word === '' || !'no'.startsWith(word))) {
      context.print("% Please answer 'yes' or 'no'.");
      return;
    }
    if (yes) {
      context.print('Building configuration...', '[OK]');
      context.model.save();
    }
    proceed();
  });
}

function enable(context: CommandContext, tries = 3): void {
  const { state, system } = context;
  if (state.privilege === 15) return;
  if (system.enableSecret === null) {
    context.reject('% No password set');
    return;
  }
  context.ask('Password: ', 'secret', (answer) => {
    if (answer === system.enableSecret) state.privilege = 15;
    else if (tries > 1) enable(context, tries - 1);
    else context.reject('% Bad secrets', '');
  });
}

function leave(context: CommandContext): void {
  context.leaving = true;
}

/** Exec commands besides `show`. */
export const execRules: readonly Rule<CommandContext>[] = [
  { pattern: 'enable', run: (c) => enable(c) },
  {
    pattern: 'disable',
    run: (c) => {
      c.state.privilege = 1;
    },
  },
  { pattern: 'exit', run: leave },
  { pattern: 'logout', run: leave },
  { pattern: 'quit', run: leave },
  { pattern: 'configure', level: 15, run: askSource },
  { pattern: 'configure terminal', level: 15, run: configure },
  {
    pattern: 'configure terminal revert timer <1-120>',
    level: 15,
    run: (c) => c.reject('Turn config archive on before using Rollback Confirmed Change'),
  },
  { pattern: 'write', level: 15, run: save },
  { pattern: 'write memory', level: 15, run: save },
  { pattern: 'copy running-config startup-config', level: 15, run: copyToStartup },
  { pattern: 'reload', level: 15, run: reload },
  {
    pattern: 'terminal length <0-512>',
    run: (c, [length]) => {
      c.state.length = Number(length);
    },
  },
  {
    pattern: 'terminal width <0-512>',
    run: (c, [width]) => {
      c.state.width = Number(width);
    },
  },
  {
    pattern: 'terminal monitor',
    level: 2,
    run: (c) => {
      c.state.monitor = true;
    },
  },
  {
    pattern: 'terminal no monitor',
    level: 2,
    run: (c) => {
      c.state.monitor = false;
    },
  },
];
