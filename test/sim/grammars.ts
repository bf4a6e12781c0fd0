import type { CommandContext } from './command-context.ts';
import { configRules } from './config-rules.ts';
import { execRules } from './exec-rules.ts';
import { Grammar, type Matcher, type Rule } from './grammar.ts';
import { interfaceRules } from './interface-rules.ts';
import { longName, parseInterfaceName, parseInterfaceRange } from './port-names.ts';
import { showRules } from './show-rules.ts';
import type { SwitchModel } from './switch-model.ts';
import { vlanRules } from './vlan-rules.ts';

type CliGrammar = Grammar<CommandContext>;

/** The commands of every mode. The parameters need the model: whether a port exists is part of the syntax on IOS. */
export class Grammars {
  readonly config: CliGrammar;
  readonly interface: CliGrammar;
  readonly vlan: CliGrammar;
  readonly #exec = new Map<number, CliGrammar>();
  readonly #matchers: Readonly<Record<string, Matcher>>;

  constructor(model: SwitchModel) {
    this.#matchers = { port: portMatcher(model), 'any-port': anyPortMatcher(model), ports: rangeMatcher(model) };
    this.config = this.#build(configRules);
    this.interface = this.#build(interfaceRules(model));
    this.vlan = this.#build(vlanRules);
  }

  #build(rules: readonly Rule<CommandContext>[]): CliGrammar {
    return new Grammar(rules, this.#matchers);
  }

  /** Exec commands as a user of this privilege level sees them. */
  exec(privilege: number): CliGrammar {
    const known = this.#exec.get(privilege);
    if (known) return known;
    const made = this.#build([...execRules, ...showRules].filter((rule) => (rule.level ?? 1) <= privilege));
    this.#exec.set(privilege, made);
    return made;
  }
}

/** A name in one word ("Et1/1") or two ("Ethernet 1/1"). */
function oneOrTwoWords(find: (text: string) => string | null): Matcher {
  return (tokens, at) => {
    const first = tokens[at]?.text ?? '';
    const alone = find(first);
    if (alone !== null) return { value: alone, used: 1 };
    const second = tokens[at + 1]?.text;
    const joined = second !== undefined && /^[a-z-]+$/i.test(first) ? find(first + second) : null;
    return joined === null ? null : { value: joined, used: 2 };
  };
}

/** An existing port or Port-channel. */
function portMatcher(model: SwitchModel): Matcher {
  return oneOrTwoWords((text) => model.findPort(text));
}

/** As `port`, and Port-channels that do not exist yet. */
function anyPortMatcher(model: SwitchModel): Matcher {
  return oneOrTwoWords((text) => {
    const parsed = parseInterfaceName(model.naming, text);
    const channel = parsed?.type === 'port-channel' && parsed.number >= 1 && parsed.number <= 128;
    return channel ? `Port-channel${parsed.number}` : model.findPort(text);
  });
}

function rangeMatcher(model: SwitchModel): Matcher {
  return (tokens, at) => {
    const rest = tokens.slice(at);
    const parsed = parseInterfaceRange(model.naming, rest.map((t) => t.text).join(' '));
    if (!parsed || rest.length === 0) return null;
    const names = parsed.map((p) => (p.type === 'port' ? longName(model.naming, p.number) : `Port-channel${p.number}`));
    const known = names.every((name) => model.config.ports.has(name)) && parsed.every((p) => p.type !== 'vlan');
    return known ? { value: names.join(','), used: rest.length } : null;
  };
}
