import type { StatusView } from '../model/views.ts';
import { createClient } from './client.ts';
import type { CommandRun } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { count, duration, since } from './text.ts';
import { createWriter, type LabelledRow, type Writer } from './writers.ts';

/** One thing that needs somebody to look. */
export interface AttentionItem {
  readonly subject: string;
  readonly what: string;
  readonly fix: string;
}

/** Ports of one switch with the same reason that are shown before the rest is only counted. */
const SHOWN_OF_A_KIND = 3;

/** `portkeeper status`: one verdict line, what needs attention, what to type next. */
export const run: CommandRun = async (call, io) => {
  const writer = createWriter(call, io);
  const view = await createClient(call, io).get<StatusView>('/v1/status');
  const items = attention(view);
  const good = items.length === 0;
  if (writer.json) writer.document(view);
  else show(view, items, writer);
  return good ? EXIT.ok : EXIT.no;
};

function show(view: StatusView, items: readonly AttentionItem[], writer: Writer): void {
  writer.paragraph(headline(view, items.length === 0), 0, items.length === 0 ? 'good' : 'bad');
  writer.paragraph(facts(view));
  if (items.length > 0) {
    writer.line();
    writer.line('Attention', 'strong');
    writer.labelled(
      items.flatMap((item): LabelledRow[] => [
        [item.subject, item.what, 'warn'],
        ['', `-> ${item.fix}`],
      ]),
      2,
    );
  }
  writer.line();
  writer.line('Next', 'strong');
  writer.labelled(next(view), 2);
}

/** The answer in one line. */
export function headline(view: StatusView, good: boolean): string {
  const { agent, switches } = view;
  const out = sum(switches, 'outOfSync');
  const managed = sum(switches, 'managed');
  const unreachable = Object.values(agent.switches).filter((s) => s.reachability !== 'reachable').length;
  const observe = agent.mode === 'observe' ? ' Mode observe: nothing is written.' : '';
  if (good) return `IN SYNC: rack ${agent.rack}, ${count(managed, 'managed port')}.${observe}`;
  const parts: string[] = [];
  if (out > 0) parts.push(`${out} of ${count(managed, 'managed port')} not as wanted`);
  if (unreachable > 0) parts.push(`${count(unreachable, 'switch', 'switches')} of ${switches.length} not reachable`);
  if (!view.broker.connected) parts.push('broker away');
  if (out > 0 || unreachable > 0) return `NOT IN SYNC: rack ${agent.rack}, ${parts.join(', ')}.${observe}`;
  const rest = parts.length > 0 ? parts.join(', ') : 'something needs attention';
  return `IN SYNC, BUT: rack ${agent.rack}, ${rest}; ${count(managed, 'managed port')} as wanted.${observe}`;
}

function facts(view: StatusView): string {
  const ages = view.switches.map((s) => s.ageSeconds);
  const oldest = Math.max(0, ...ages.map((age) => age ?? 0));
  const read = ages.includes(null) ? 'a switch has not been read yet' : `read ${duration(oldest)} ago`;
  const publishers = view.publishers.map((p) => `${p.name} revision ${p.revision ?? 'none'} ${p.state}`);
  const shown = publishers.slice(0, 3).join(', ');
  const more = publishers.length > 3 ? ` and ${publishers.length - 3} more` : '';
  const intents = publishers.length === 0 ? 'no intents yet' : `${shown}${more}`;
  const broker = view.broker.connected ? 'broker connected' : 'broker not connected';
  return `${broker} · ${intents} · ${count(sum(view.switches, 'linkUp'), 'link')} up · ${read}`;
}

/** Everything that is not as it should be, worst first. */
export function attention(view: StatusView): AttentionItem[] {
  const items: AttentionItem[] = [];
  for (const item of view.agent.health) {
    if (item.severity === 'info') continue;
    items.push({ subject: item.code, what: `${item.message}${forHowLong(item.since, view.now)}`, fix: item.fix });
  }
  for (const [name, s] of Object.entries(view.agent.switches)) {
    if (s.reachability === 'reachable' && s.reason !== 'SwitchChanged') continue;
    const what = s.reachability === 'unknown' ? 'not read yet' : s.reachability;
    items.push({
      subject: `switch ${name}`,
      what: `${what}${forHowLong(s.since, view.now)}: ${s.message || 'no reason given'}`,
      fix: s.reason === 'SwitchChanged' ? `portkeeper accept ${name}` : 'Check its power, cabling, address and login.',
    });
  }
  if (!view.broker.connected) {
    items.push({
      subject: 'broker',
      what: `${view.broker.url} not connected${forHowLong(view.broker.since, view.now)}: ${view.broker.message || 'no reason given'}`,
      fix: 'Ports stay as they are; new intents wait at the broker.',
    });
  }
  for (const p of view.publishers) {
    if (p.state === 'applied' || p.state === 'pending') continue;
    items.push({
      subject: `publisher ${p.name}`,
      what: `${p.state}, ${p.reason}: ${p.message}`,
      fix: 'portkeeper intents',
    });
  }
  return [...items, ...ports(view)];
}

function ports(view: StatusView): AttentionItem[] {
  const groups = new Map<string, StatusView['attention'][number][]>();
  for (const entry of view.attention) {
    const { reachability } = view.agent.switches[entry.switch] ?? { reachability: null };
    // Said once, of the switch.
    if (entry.reason === 'SwitchUnreachable' && reachability !== null && reachability !== 'reachable') continue;
    const key = `${entry.switch} ${entry.reason}`;
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  const items: AttentionItem[] = [];
  for (const group of groups.values()) {
    for (const entry of group.slice(0, SHOWN_OF_A_KIND)) {
      const subject = entry.port === '' ? 'attachment' : `port ${entry.switch}:${entry.port}`;
      items.push({ subject, what: `${entry.reason}: ${entry.message}`, fix: fixFor(entry) });
    }
    const first = group[0];
    const more = group.length - SHOWN_OF_A_KIND;
    if (first === undefined || more <= 0) continue;
    items.push({
      subject: `${more} more`,
      what: `${first.reason}${first.switch === '' ? '' : ` on switch ${first.switch}`}`,
      fix: first.switch === '' ? 'portkeeper intents' : `portkeeper ports --problems --switch ${first.switch}`,
    });
  }
  return items;
}

/** The advice with the names of this port in it. */
function fixFor(entry: StatusView['attention'][number]): string {
  if (entry.port === '') return entry.fix;
  return entry.fix
    .replaceAll('portkeeper port NAME', `portkeeper port ${entry.switch}:${entry.port}`)
    .replaceAll('portkeeper accept SWITCH', `portkeeper accept ${entry.switch}`);
}

/** What a person would type now. */
function next(view: StatusView): (readonly [string, string])[] {
  const lines: (readonly [string, string])[] = [];
  const worst = view.attention.find((entry) => entry.port !== '');
  if (worst) lines.push([`portkeeper port ${worst.switch}:${worst.port}`, 'why this port is not right']);
  if (sum(view.switches, 'outOfSync') > 0) lines.push(['portkeeper plan', 'what would be changed']);
  if (view.attention.length === 0)
    lines.push(['portkeeper ports', 'every port'], ['portkeeper neighbors', 'which host is on which port']);
  lines.push(['portkeeper events', 'what happened lately']);
  return lines;
}

function forHowLong(then: string | null, now: string): string {
  const text = since(then, now);
  return text === '' ? '' : ` for ${text}`;
}

function sum(switches: StatusView['switches'], key: 'managed' | 'outOfSync' | 'linkUp'): number {
  return switches.reduce((total, s) => total + s[key], 0);
}
