import type { CommandSpec } from './command.ts';
import { NO_HEADERS, READ, SWITCH, WIDE } from './flags.ts';

/** The commands that ask the agent and change nothing. */
export const READING_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'status',
    summary: 'is everything as wanted? What needs attention, what to type next',
    usage: '',
    args: [0, 0],
    flags: READ,
    examples: [
      ['portkeeper', 'the same as portkeeper status'],
      ['portkeeper status --json', 'for scripts and dashboards'],
    ],
    details: ['Answered from the memory of the agent: it works with the broker away and the switches dead.'],
    exits: [
      [0, 'in sync and healthy'],
      [1, 'something needs attention'],
    ],
  },
  {
    name: 'ports',
    summary: 'the ports with link, VLANs and state',
    usage: '[PORT]',
    args: [0, 1],
    completes: 'port',
    flags: [
      ...READ,
      NO_HEADERS,
      SWITCH,
      { name: 'problems', value: null, summary: 'only ports that are not right' },
      WIDE,
    ],
    examples: [
      ['portkeeper ports --problems', 'only what is not right'],
      ['portkeeper ports --switch tor1 --wide', 'one switch with everything that is known'],
    ],
    details: [
      'With PORT it is the same as portkeeper port PORT.',
      'STATE: "in sync", a reason code (portkeeper help reasons), "as it is" (managed, nothing wanted), "protected" or "not managed".',
      'LINK: the switch\'s own word, or "off" (shut by configuration) or "absent" (no module).',
    ],
    exits: [[1, 'with --problems: there are some']],
  },
  {
    name: 'port',
    summary: 'everything about one port: why is it not right, and what to do',
    usage: 'NAME',
    args: [1, 1],
    completes: 'port',
    flags: [...READ, NO_HEADERS, SWITCH, WIDE],
    examples: [
      ['portkeeper port swp3', 'any name of the port, long or short'],
      ['portkeeper port tor1:swp3', 'on that switch; tor1/swp3 and --switch tor1 do as well'],
    ],
    details: [],
    exits: [
      [0, 'as wanted, or nothing is wanted and nothing is wrong'],
      [1, 'not right, not reachable, or no such port'],
      [64, 'the name fits several ports; they are listed'],
    ],
  },
  {
    name: 'neighbors',
    summary: 'which host is on which port, as LLDP says',
    usage: '',
    args: [0, 0],
    flags: [...READ, NO_HEADERS, SWITCH, WIDE],
    examples: [['portkeeper neighbors --switch tor1', 'of one switch']],
    details: ['What a host says of itself is a claim, not a fact.'],
    exits: [],
  },
  {
    name: 'intents',
    summary: 'what each publisher wants, and what became of it',
    usage: '',
    args: [0, 0],
    flags: [...READ, NO_HEADERS, WIDE],
    examples: [['portkeeper intents --json', 'with the documents in force']],
    details: [],
    exits: [],
  },
  {
    name: 'plan',
    summary: 'what would be changed now, without changing it',
    usage: '',
    args: [0, 0],
    flags: [...READ, SWITCH, { name: 'commands', value: null, summary: 'the exact lines that would be sent' }],
    examples: [['portkeeper plan --commands', 'what the switch would be told']],
    details: [],
    exits: [
      [0, 'nothing to change'],
      [1, 'changes are due, or a switch has not been read yet'],
    ],
  },
  {
    name: 'events',
    summary: 'what happened lately, and what happens',
    usage: '',
    args: [0, 0],
    flags: [
      ...READ,
      { name: 'follow', short: 'f', value: null, summary: 'go on with new events; with --json one object a line' },
      { name: 'limit', value: 'N', summary: 'the newest N (default 20); with -f end after N new ones' },
    ],
    examples: [
      ['portkeeper events -f', 'watch while you swap a cable'],
      ['portkeeper events -f --limit 1', 'wait for the next event'],
    ],
    details: ['Times are UTC.'],
    exits: [],
  },
];
