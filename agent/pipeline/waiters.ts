/** Those who wait for the end of a round. */
export class Waiters {
  #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  /** Resolves or rejects with the next {@link settle} of whoever holds it then. */
  wait(): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Hands over everybody who waits now; who comes later waits for another. */
  take(): Waiters {
    const taken = new Waiters();
    taken.#waiting = this.#waiting.splice(0);
    return taken;
  }

  /** Answers everybody: null for a good end. */
  settle(error: Error | null): void {
    for (const { resolve, reject } of this.#waiting.splice(0)) error ? reject(error) : resolve();
  }
}
