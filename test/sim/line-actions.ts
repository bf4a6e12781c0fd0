import type { FaultAction } from './faults.ts';

type Kind<M, K extends FaultAction<M>['kind']> = Extract<FaultAction<M>, { kind: K }>;

/** The faults that are due at one line, asked by the CLI at each step of it. */
export class LineActions<M> {
  readonly #actions: readonly FaultAction<M>[];

  constructor(actions: readonly FaultAction<M>[]) {
    this.#actions = actions;
  }

  #all<K extends FaultAction<M>['kind']>(kind: K): Kind<M, K>[] {
    return this.#actions.filter((action): action is Kind<M, K> => action.kind === kind);
  }

  /** What others do just before the line is executed. */
  get interventions(): Kind<M, 'do'>[] {
    return this.#all('do');
  }

  get delayMs(): number {
    return this.#all('delay').reduce((sum, { ms }) => sum + ms, 0);
  }

  /** The fault that keeps the line from being executed. */
  get stop(): Kind<M, 'refuse'> | Kind<M, 'ignore'> | Kind<M, 'hang'> | null {
    const unexecuted = this.#all('hang').filter(({ executed }) => !executed);
    return this.#all('refuse')[0] ?? this.#all('ignore')[0] ?? unexecuted[0] ?? null;
  }

  /** Lines that are printed besides the answer. */
  get sayings(): string[] {
    return this.#all('say').flatMap(({ text }) => text.split('\n'));
  }

  get hangs(): boolean {
    return this.#all('hang').length > 0;
  }

  cuts(when: 'before' | 'after'): boolean {
    return this.#all('cut').some((cut) => cut.when === when);
  }

  /** After how many bytes of the answer the connection dies; null when it does not. */
  get answerBytes(): number | null {
    for (const cut of this.#all('cut')) if (cut.when === 'answer') return cut.bytes;
    return null;
  }

  logs(where: 'answer' | 'after-prompt'): string[] {
    return this.#all('syslog').flatMap((action) => (action.where === where ? [action.text] : []));
  }
}
