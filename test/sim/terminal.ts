import { TestClock } from '../support/test-clock.ts';
import { type SimCli, SimSwitch, type SimSwitchOptions, type SwitchModel } from './index.ts';

/** A console of a simulated switch, driven by bytes, without SSH. For the simulator's own tests. */
export class Terminal {
  readonly clock = new TestClock();
  readonly sim: SimSwitch;
  readonly cli: SimCli<SwitchModel>;
  ended = false;
  cut = false;
  #received = '';

  constructor(options: SimSwitchOptions = {}, privilege = 15) {
    this.sim = new SimSwitch({ motd: '', ...options, clock: this.clock });
    this.cli = this.sim.openConsole(
      {
        write: (bytes) => {
          this.#received += bytes.toString('utf8');
        },
        end: () => {
          this.ended = true;
        },
        cut: () => {
          this.cut = true;
        },
      },
      privilege,
    );
  }

  /** What came since the last call. */
  take(): string {
    const text = this.#received;
    this.#received = '';
    return text;
  }

  /** Types bytes as they are and returns what comes back. */
  type(text: string): string {
    this.take();
    this.cli.feed(Buffer.from(text, 'utf8'));
    return this.take();
  }

  /** Types one line and returns the answer between echo and prompt. */
  run(line: string): string {
    const lines = this.type(`${line}\n`).split('\r\n');
    return lines.slice(1, -1).join('\n');
  }

  /** Types lines; returns all that was answered. */
  runAll(...lines: readonly string[]): string {
    return lines.map((line) => this.run(line)).join('');
  }

  /** The prompt as it stands, by typing an empty line. */
  prompt(): string {
    return this.type('\n').replace(/^\r\n/, '');
  }
}

/** A terminal without paging and line breaks. */
export function openTerminal(options: SimSwitchOptions = {}, privilege = 15): Terminal {
  const terminal = new Terminal(options, privilege);
  terminal.runAll('terminal length 0', 'terminal width 512');
  return terminal;
}
