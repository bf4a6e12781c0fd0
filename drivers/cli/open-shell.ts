import type { CliDefinition } from '../definition.ts';
import type { DriverContext, SwitchTarget } from '../driver.ts';
import { PromptShell } from '../transport/prompt.ts';
import { connectSsh } from '../transport/ssh.ts';

export interface OpenShell {
  readonly shell: PromptShell;
  /** Ends the shell and the connection; never throws. */
  readonly close: () => Promise<void>;
}

/**
 * Logs in, opens the shell and brings it into `mode`, then lets `prepare` finish the set-up. Throws {@link DriverError}; leaves
 * nothing open on failure.
 */
export async function openShell(
  definition: CliDefinition,
  target: SwitchTarget,
  context: DriverContext,
  mode: string,
  prepare: (shell: PromptShell) => Promise<unknown> = () => Promise.resolve(),
): Promise<OpenShell> {
  const connection = await connectSsh(target, context.clock);
  try {
    const shell = await PromptShell.open(connection, definition, {
      clock: context.clock,
      commandTimeoutMs: target.commandTimeoutMs,
      enablePassword: target.enablePassword,
      trace: context.trace,
    });
    await shell.toMode(mode);
    await prepare(shell);
    const close = async () => {
      await shell.close();
      await connection.close();
    };
    return { shell, close };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
