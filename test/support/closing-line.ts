import type { Reporter, TestModule, TestSuite } from 'vitest/node';

/** What the closing line says. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Suites and modules that failed by themselves (an import, a hook), not only through a test in them. */
function brokenContainers(module: TestModule): number {
  const broken = (container: TestModule | TestSuite): boolean => container.errors().length > 0;
  return [...module.children.allSuites()].filter(broken).length + (broken(module) ? 1 : 0);
}

/** Counts tests; a broken suite or module, and every error outside of any test, counts as one that failed. */
export function count(modules: readonly TestModule[], unhandledErrors: number): Counts {
  const counts: Counts = { passed: 0, failed: unhandledErrors, skipped: 0 };
  for (const module of modules) {
    counts.failed += brokenContainers(module);
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed' || state === 'failed' || state === 'skipped') counts[state] += 1;
      // Never finished: the run was interrupted.
      else counts.failed += 1;
    }
  }
  return counts;
}

/** The outermost suites of which every test was skipped, by name. */
export function skippedSuites(modules: readonly TestModule[]): string[] {
  const found: string[] = [];
  const look = (container: TestModule | TestSuite): void => {
    for (const suite of container.children.suites()) {
      const tests = [...suite.children.allTests()];
      const skipped = tests.filter((test) => test.result().state === 'skipped').length;
      if (tests.length > 0 && skipped === tests.length) found.push(`${suite.fullName} (${skipped} tests)`);
      else look(suite);
    }
  };
  for (const module of modules) look(module);
  return found;
}

/** Ends the run's output with the names of what was skipped and "N passed, N failed, N skipped", alone on the very last line. */
export default class ClosingLine implements Reporter {
  #text: string | undefined;

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const { passed, failed, skipped } = count(modules, unhandledErrors.length);
    if (this.#text === undefined) process.once('exit', () => process.stdout.write(`${this.#text}\n`));
    const names = skippedSuites(modules).map((name) => `skipped: ${name}\n`);
    this.#text = `${names.join('')}${passed} passed, ${failed} failed, ${skipped} skipped`;
  }
}
