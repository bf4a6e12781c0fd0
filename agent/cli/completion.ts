import type { CommandRun, CommandSpec } from './command.ts';
import { COMMANDS, GROUPS } from './commands.ts';
import { EXIT, usageError } from './exit-codes.ts';

/** `portkeeper completion bash|zsh|fish`: a script made from the command table. */
export const run: CommandRun = async (call, io) => {
  const shell = call.args[0];
  if (shell === 'bash') io.stdout(bash());
  else if (shell === 'zsh') io.stdout(`#compdef portkeeper\nautoload -U +X bashcompinit && bashcompinit\n${bash()}`);
  else if (shell === 'fish') io.stdout(fish());
  else throw usageError('completion is for bash, zsh or fish', 'portkeeper completion bash');
  return EXIT.ok;
};

/**
 * Names that only the running agent knows, one a line; nothing when it does not answer. Shells expand the words that they
 * complete, so that only names of harmless characters are let through.
 */
const NAME = '\\([A-Za-z0-9._:/-]*\\)';
const LIVE = {
  port: `portkeeper ports --json 2>/dev/null | sed -n '/^      "ports": \\[/,/^      \\]/s|^          "name": "${NAME}",$|\\1|p'`,
  switch: `portkeeper status --json 2>/dev/null | sed -n '/^  "switches": \\[/,/^  \\]/s|^      "name": "${NAME}",$|\\1|p'`,
} as const;

function firstWords(): string[] {
  return [...new Set(COMMANDS.map((c) => c.name.split(' ')[0] ?? ''))];
}

function bash(): string {
  const cases = COMMANDS.flatMap((command) => {
    const flags = [...command.flags.map((f) => `--${f.name}`), '--help'].join(' ');
    return [`    "${command.name}") flags="${flags}"; words=${bashWords(command)} ;;`];
  });
  const groups = GROUPS.map((group) => {
    const seconds = COMMANDS.filter((c) => c.name.startsWith(`${group} `)).map((c) => c.name.slice(group.length + 1));
    return `    ${group}) if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "${seconds.join(' ')}" -- "$current")); return; fi; command="${group} \${COMP_WORDS[2]}" ;;`;
  });
  return `# Completion of portkeeper; made by \`portkeeper completion\`.
_portkeeper() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" flags="" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${firstWords().join(' ')}" -- "$current"))
    return
  fi
  case "$command" in
${groups.join('\n')}
  esac
  case "$command" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) if [ "$words" = "@file" ]; then COMPREPLY=($(compgen -f -- "$current")); else COMPREPLY=($(compgen -W "$words" -- "$current")); fi ;;
  esac
}
complete -F _portkeeper portkeeper
`;
}

function bashWords(command: CommandSpec): string {
  const kind = command.completes;
  if (kind === undefined) return '""';
  if (kind === 'file') return '"@file"';
  if (kind === 'port' || kind === 'switch') return `"$(${LIVE[kind]})"`;
  return `"${kind.join(' ')}"`;
}

function fish(): string {
  const lines = ['# Completion of portkeeper; made by `portkeeper completion`.', 'complete -c portkeeper -f'];
  const none = `not __fish_seen_subcommand_from ${firstWords().join(' ')}`;
  for (const word of firstWords()) {
    const summary = COMMANDS.find((c) => c.name === word)?.summary ?? 'more commands';
    lines.push(`complete -c portkeeper -n '${none}' -a ${word} -d ${quote(summary)}`);
  }
  for (const command of COMMANDS) {
    const [first, second] = command.name.split(' ');
    const seen = `__fish_seen_subcommand_from ${second ?? first}`;
    if (second !== undefined) {
      const start = `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${second}`;
      lines.push(`complete -c portkeeper -n '${start}' -a ${second} -d ${quote(command.summary)}`);
    }
    for (const flag of command.flags) {
      const short = flag.short === undefined ? '' : ` -s ${flag.short}`;
      const value = flag.value === null ? '' : ' -r';
      lines.push(`complete -c portkeeper -n '${seen}' -l ${flag.name}${short}${value} -d ${quote(flag.summary)}`);
    }
    const kind = command.completes;
    if (kind === undefined) continue;
    if (kind === 'file') lines.push(`complete -c portkeeper -n '${seen}' -F`);
    else if (kind === 'port' || kind === 'switch')
      lines.push(`complete -c portkeeper -n '${seen}' -a ${quote(`(${LIVE[kind]})`)}`);
    else lines.push(`complete -c portkeeper -n '${seen}' -a ${quote(kind.join(' '))}`);
  }
  return `${lines.join('\n')}\n`;
}

/** In single quotes for fish, which knows \\ and \' in them. */
function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
