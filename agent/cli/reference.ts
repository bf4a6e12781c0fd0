import { COMMANDS } from './commands.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { flagWords, usageLine } from './help.ts';

/** docs/cli.md, made from the command table and the exit codes; a test keeps the file equal to it. */
export function cliReference(): string {
  const lines = [
    '# The command line',
    '',
    '<!-- Made from agent/cli/commands.ts by `npm run generate`. -->',
    '',
    'Every command that reads asks the running agent over its local socket `status.sock`; `refresh`, `reconcile` and',
    '`accept` use `control.sock`. Nothing waits for a switch or the broker, except what acts or publishes.',
    '',
    '- `--json` prints the document of the local API exactly as it is (see [local-api.md](local-api.md)); its shape is',
    '  stable: all keys, lists always arrays. A refusal is `{"error": {...}}`.',
    '- Tables fit 80 columns, or the terminal; what is cut ends with `…`, and `--wide` cuts nothing.',
    '- Colours only on a terminal, and never alone: the words say the same. `NO_COLOR` and `--no-color` turn them off.',
    '- A port may be called by any of its names, long or short, on any switch: `swp3`, `tor1:swp3`, `tor1/swp3`.',
    '- Times are UTC. What comes from switches and hosts is shown with control characters as escapes.',
    '',
    '## Exit codes',
    '',
    '| code | meaning |',
    '|---|---|',
    ...EXIT_CODES.map(({ code, meaning }) => `| ${code} | ${meaning} |`),
    '',
    '## Commands',
  ];
  for (const command of COMMANDS) {
    lines.push('', `### \`${usageLine(command)}\``, '', `${capital(command.summary)}.`);
    if (command.details.length > 0) lines.push('', ...command.details);
    if (command.flags.length > 0) {
      lines.push('', '| flag | meaning |', '|---|---|');
      lines.push(...command.flags.map((f) => `| \`${flagWords(f).replaceAll('|', '\\|')}\` | ${f.summary} |`));
    }
    if (command.exits.length > 0) {
      lines.push('', ...command.exits.map(([code, what]) => `- exit ${code}: ${what}`));
    }
    lines.push(
      '',
      '```sh',
      ...command.examples.map(([line, what]) => (what === '' ? line : `${line}    # ${what}`)),
      '```',
    );
  }
  return `${lines.join('\n')}\n`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
