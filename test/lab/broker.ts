import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab } from './lab.ts';
import type { LabProcess } from './processes.ts';

/** `agent` may do what the agent's contract says; `ironic` and `tenant` are publishers; `viewer` only reads; `anyone` may do anything. */
export type BrokerUser = 'agent' | 'ironic' | 'tenant' | 'viewer' | 'anyone';

/** The broker as the node `agent` sees it. */
export interface Broker {
  readonly host: string;
  /** TLS, user and password. */
  readonly port: number;
  /** TLS, client certificate; the user is the common name of the certificate. */
  readonly certificatePort: number;
  readonly url: string;
  readonly certificateUrl: string;
  readonly caFile: string;
  readonly passwordFiles: Readonly<Record<BrokerUser, string>>;
  readonly certificates: Readonly<Record<'agent' | 'ironic', { readonly certFile: string; readonly keyFile: string }>>;
  readonly logFile: string;
}

const PORT = 8883;

/** The broker of the lab in `folder`. */
export function brokerIn(folder: string): Broker {
  const file = (name: string): string => join(folder, 'mqtt', name);
  return {
    host: '127.0.0.1',
    port: PORT,
    certificatePort: PORT + 1,
    url: `mqtts://127.0.0.1:${PORT}`,
    certificateUrl: `mqtts://127.0.0.1:${PORT + 1}`,
    caFile: file('ca.crt'),
    passwordFiles: {
      agent: file('agent.password'),
      ironic: file('ironic.password'),
      tenant: file('tenant.password'),
      viewer: file('viewer.password'),
      anyone: file('anyone.password'),
    },
    certificates: {
      agent: { certFile: file('agent.crt'), keyFile: file('agent.key') },
      ironic: { certFile: file('ironic.crt'), keyFile: file('ironic.key') },
    },
    logFile: file('mosquitto.log'),
  };
}

export interface ClientOptions {
  readonly user: BrokerUser;
  /** Default 5. */
  readonly protocol?: '5' | '3.1.1';
  /** Log in with the user's client certificate instead of the password. */
  readonly certificate?: boolean;
}

export interface Publication extends ClientOptions {
  readonly topic: string;
  /** Text is sent as it is, anything else as JSON; absent: an empty message. */
  readonly payload?: unknown;
  /** Instead of a payload: a file whose bytes are sent, of any size, or each of whose lines is sent as a message. */
  readonly file?: string;
  readonly lines?: string;
  readonly retain?: boolean;
  /** Default 1. */
  readonly qos?: 0 | 1 | 2;
  /** MQTT 5 only. */
  readonly responseTopic?: string;
  readonly correlationData?: string;
}

/** `accepted`: the broker acknowledged it (and, with MQTT 5, did not refuse it; 3.1.1 cannot say). */
export interface Published {
  readonly accepted: boolean;
  readonly message: string;
}

export interface WatchOptions extends ClientOptions {
  readonly topics: readonly string[];
  /** Come back when the broker was away; what is retained then arrives once more. */
  readonly lasting?: boolean;
}

export interface Message {
  readonly topic: string;
  readonly qos: number;
  readonly retain: boolean;
  readonly payload: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** When it arrived; milliseconds since 1970. */
  readonly at: number;
}

function connection(broker: Broker, options: ClientOptions): string[] {
  const login = [
    '--cafile',
    broker.caFile,
    '-V',
    options.protocol === '3.1.1' ? 'mqttv311' : 'mqttv5',
    '-h',
    broker.host,
  ];
  if (!options.certificate) {
    const password = readFileSync(broker.passwordFiles[options.user], 'utf8').trim();
    return [...login, '-p', String(broker.port), '-u', options.user, '-P', password];
  }
  if (options.user !== 'agent' && options.user !== 'ironic') throw new Error(`${options.user} has no certificate`);
  const { certFile, keyFile } = broker.certificates[options.user];
  return [...login, '-p', String(broker.certificatePort), '--cert', certFile, '--key', keyFile];
}

/** See {@link Lab.publish}. Payloads up to about 100 kB (they are an argument of a program). */
export async function publish(lab: Lab, message: Publication): Promise<Published> {
  const { payload, qos = 1, retain = false, responseTopic, correlationData } = message;
  const text = payload === undefined ? ['-n'] : ['-m', typeof payload === 'string' ? payload : JSON.stringify(payload)];
  const body = message.lines !== undefined ? ['-l'] : message.file !== undefined ? ['-f', message.file] : text;
  const from = message.lines === undefined ? [] : ['sh', '-c', 'exec "$@" <"$0"', message.lines];
  const properties = [
    ...(responseTopic === undefined ? [] : ['-D', 'PUBLISH', 'response-topic', responseTopic]),
    ...(correlationData === undefined ? [] : ['-D', 'PUBLISH', 'correlation-data', correlationData]),
  ];
  const flags = ['-t', message.topic, '-q', String(qos), ...(retain ? ['-r'] : [])];
  const login = connection(lab.broker, message);
  const { code, stderr } = await lab.in(
    'agent',
    [...from, 'mosquitto_pub', ...login, ...flags, ...properties, ...body],
    60_000,
  );
  // mosquitto_pub only warns when the broker refuses a message.
  return { accepted: code === 0 && stderr.trim() === '', message: stderr.trim() };
}

/** A subscription: keeps every message that arrives, in order. */
export class Watch {
  readonly messages: Message[] = [];
  readonly #process: LabProcess;

  private constructor(process: LabProcess) {
    this.#process = process;
  }

  static async start(lab: Lab, options: WatchOptions): Promise<Watch> {
    const topics = options.topics.flatMap((topic) => ['-t', topic]);
    const login = connection(lab.broker, options);
    // -d says when the subscription stands.
    const again = ['sh', '-c', 'while :; do "$@"; sleep 0.1; done', 'sh'];
    const child = lab.spawn('agent', [
      ...(options.lasting ? again : []),
      'stdbuf',
      '-oL',
      'mosquitto_sub',
      ...login,
      ...topics,
      '-q',
      '1',
      '-d',
      '-F',
      '%U %j',
    ]);
    await child.waitFor('the subscription', (self) => (/^Subscribed \(mid: /m.test(self.stdout) ? true : undefined));
    return new Watch(child);
  }

  /** The first message, from those that came already on, for which `wanted` holds. @throws Error after `timeoutMs`. */
  next(what: string, wanted: (message: Message) => boolean, timeoutMs = 15_000): Promise<Message> {
    let seen = 0;
    return this.#process.waitFor(
      what,
      () => {
        this.#read();
        while (seen < this.messages.length) {
          const message = this.messages[seen++];
          if (message && wanted(message)) return message;
        }
        return undefined;
      },
      timeoutMs,
    );
  }

  /** Everything that has arrived until now. */
  all(): readonly Message[] {
    this.#read();
    return this.messages;
  }

  /** The latest message on a topic, its payload as JSON; undefined: none yet. */
  latest(topic: string): unknown {
    const message = this.all().findLast((m) => m.topic === topic);
    return message === undefined || message.payload === '' ? undefined : JSON.parse(message.payload);
  }

  async stop(): Promise<void> {
    await this.#process.end();
  }

  #read(): void {
    for (const line of this.#process.takeLines()) {
      const start = /^([0-9]+\.[0-9]+) \{/.exec(line);
      if (!start) continue;
      const { topic, qos, retain, payload, properties } = JSON.parse(line.slice(line.indexOf(' '))) as Record<
        string,
        unknown
      >;
      this.messages.push({
        topic: String(topic),
        qos: Number(qos),
        retain: retain === 1,
        payload: typeof payload === 'string' ? payload : '',
        properties: (properties ?? {}) as Record<string, unknown>,
        at: Number(start[1]) * 1000,
      });
    }
  }
}
