import { type Clock, systemClock } from '../../../drivers/model/clock.ts';
import { SshSwitch, type SshSwitchOptions } from '../ssh-switch.ts';
import { edit, type Section } from './edit.ts';
import { EosLine } from './line.ts';
import { EosModel } from './model.ts';

export { carried, portLines } from './config.ts';
export { EosModel } from './model.ts';

/** A fake Arista EOS switch. */
export class EosSwitch extends SshSwitch<EosModel> {
  constructor(options: SshSwitchOptions & { readonly ports?: number; readonly newTimerForm?: boolean } = {}) {
    const clock: Clock = options.clock ?? systemClock;
    const model = new EosModel(clock, options);
    super({ model, line: (login, faults) => new EosLine(model, login, faults, clock) }, options);
  }

  /** Somebody configures past the driver. Throws when a line is refused. */
  byHand(lines: readonly string[]): void {
    let section: Section = { kind: 'global' };
    for (const line of lines) {
      const edited = edit(this.model.running, section, line);
      if (edited.rejected) throw new Error(`refused "${line}": ${edited.rejected.join(' ')}`);
      section = edited.section;
    }
    this.model.changed('by hand');
  }
}
