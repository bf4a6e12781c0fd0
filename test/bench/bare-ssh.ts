import { once } from 'node:events';
import { Socket } from 'node:net';
import { Client, type ClientChannel } from 'ssh2';

export interface BareTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password?: string;
  readonly privateKey?: string;
}

/** As little as can be put around SSH: what the agent is compared with. Only ever meets switches of the benchmark's own. */
export class BareSsh {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async connect(target: BareTarget): Promise<BareSsh> {
    const { host, port, ...login } = target;
    const sock = new Socket();
    sock.setNoDelay(true);
    const client = new Client();
    const ready = once(client, 'ready');
    sock.connect({ host, port });
    client.connect({ sock, ...login });
    await ready;
    return new BareSsh(client);
  }

  /** Runs one command; resolves with its output when the channel is closed. Throws when it fails. */
  exec(command: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#client.exec(command, (error, channel) => {
        if (error) return reject(error);
        let out = '';
        let said = '';
        channel.setEncoding('utf8').on('data', (text: string) => {
          out += text;
        });
        channel.stderr.setEncoding('utf8').on('data', (text: string) => {
          said += text;
        });
        channel.on('close', (code: number | null) =>
          code === 0 ? resolve(out) : reject(new Error(`${command.slice(0, 100)}: ${code} ${said}`)),
        );
      });
    });
  }

  /** A terminal that is driven by its prompts. */
  async terminal(): Promise<BareTerminal> {
    const channel = await new Promise<ClientChannel>((resolve, reject) => {
      this.#client.shell({ cols: 511, rows: 1000 }, (error, made) => (error ? reject(error) : resolve(made)));
    });
    const terminal = new BareTerminal(channel);
    for (const line of ['terminal length 0', 'terminal width 511', 'terminal no monitor']) await terminal.line(line);
    return terminal;
  }

  close(): void {
    this.#client.end();
  }
}

/** Sends one line at a time, and takes the next prompt for its end, without any further check. */
export class BareTerminal {
  readonly #channel: ClientChannel;
  #seen = '';
  #wake = () => {};

  constructor(channel: ClientChannel) {
    this.#channel = channel;
    channel.setEncoding('utf8').on('data', (text: string) => {
      // The prompt is short; what stands long before it is of no interest.
      this.#seen = (this.#seen + text).slice(-200);
      this.#wake();
    });
  }

  /** Resolves with the end of the answer. */
  line(text: string): Promise<string> {
    return new Promise((resolve) => {
      this.#seen = '';
      this.#wake = () => {
        if (/\n[\w-]+(?:\([\w-]+\))?# ?$/.test(this.#seen)) resolve(this.#seen);
      };
      this.#channel.write(`${text}\n`);
    });
  }
}
