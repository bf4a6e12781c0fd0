import { systemClock } from '../drivers/model/clock.ts';
import { runCli } from './cli/main.ts';

/** Program entry: hands the process over to the command line. */
async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

// A reader such as `head` that ends early is no reason to complain.
process.stdout.on('error', () => process.exit(0));

runCli(process.argv.slice(2), {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  stdin: readStdin,
  env: process.env,
  isTty: process.stdout.isTTY === true,
  columns: process.stdout.columns ?? 80,
  clock: systemClock,
}).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`portkeeper: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 70;
  },
);
