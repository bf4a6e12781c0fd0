import type { CommandLine } from './cli.ts';
import { CommandContext, type SessionState, type SimSystem } from './command-context.ts';
import { endConfig } from './config-rules.ts';
import type { Execution } from './execution.ts';
import { LINE_LIMIT } from './line-editor.ts';
import { completed, helpLines } from './line-help.ts';
import { MORE, MORE_ERASED } from './pager.ts';
import { promptOf } from './prompt.ts';
import { runCommand } from './run-command.ts';
import { logTime } from './show-text.ts';
import type { SwitchModel } from './switch-model.ts';

/** The IOS-like command line of one login. */
export class IosLine implements CommandLine<SwitchModel> {
  readonly state: SessionState;
  readonly lineLimit = LINE_LIMIT;
  readonly more = { text: MORE, erased: MORE_ERASED };
  readonly #system: SimSystem;

  constructor(system: SimSystem, state: SessionState) {
    this.#system = system;
    this.state = state;
  }

  get faults() {
    return this.#system.faults;
  }
  get clock() {
    return this.#system.clock;
  }
  get model() {
    return this.#system.model;
  }
  get greeting() {
    return this.#system.motd;
  }
  get prompt() {
    return promptOf(this.#system.model.hostname, this.state);
  }
  get length() {
    return this.state.length;
  }
  get width() {
    return this.state.width;
  }
  get monitor() {
    return this.state.monitor;
  }

  begin(): CommandContext {
    return new CommandContext(this.state, this.#system);
  }

  run(execution: Execution, line: string): void {
    runCommand(execution as CommandContext, line);
  }

  leaveConfig(execution: Execution): void {
    endConfig(execution as CommandContext);
  }

  help(typed: string): string[] {
    return helpLines(this.#system, this.state, typed);
  }

  complete(typed: string): string | null {
    return completed(this.#system, this.state, typed);
  }

  stamped(message: string): string {
    return `*${logTime(this.clock.now())}: ${message}`;
  }
}
