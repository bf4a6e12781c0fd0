import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Trap } from '../../drivers/mib/traps.ts';
import type { Clock } from '../../drivers/model/clock.ts';
import { type TrapCredentials, TrapReceiver, type TrapSource } from '../../drivers/transport/snmp-traps.ts';
import type { Log } from './log.ts';

/** Where to listen for notifications, and whose are believed. */
export interface TrapSettings {
  /** "ADDRESS:PORT" or "[ADDRESS]:PORT". */
  readonly listen: string;
  readonly switches: readonly {
    readonly name: string;
    /** Names or addresses from which the switch sends. */
    readonly hosts: readonly string[];
    readonly credentials: TrapCredentials;
  }[];
}

export interface TrapDeskDeps {
  readonly rack: string;
  readonly clock: Clock;
  readonly log: Log['write'];
  /** Addresses of a host name; rejects when there are none. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly onTrap: (switchName: string, trap: Trap) => void;
  /** What keeps notifications from being heard; null: nothing. */
  readonly onTrouble: (message: string | null) => void;
}

/** Host names are looked up again this often, and a port that was taken is tried again. */
const RENEW_MS = 300_000;

/** Listens for the notifications of switches while the configuration asks for it. Its failures are reported, never thrown. */
export class TrapDesk {
  readonly #deps: TrapDeskDeps;
  #settings: TrapSettings | null = null;
  #receiver: TrapReceiver | null = null;
  #listening = '';
  #renew: (() => void) | null = null;
  /** One change after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(deps: TrapDeskDeps) {
    this.#deps = deps;
  }

  /** UDP port in use; null: not listening. */
  get port(): number | null {
    return this.#receiver?.port ?? null;
  }

  /** Listens as the settings say; null: not at all. */
  configure(settings: TrapSettings | null): Promise<void> {
    this.#settings = settings;
    this.#turn = this.#turn.then(() => this.#apply());
    return this.#turn;
  }

  close(): Promise<void> {
    return this.configure(null);
  }

  async #apply(): Promise<void> {
    this.#renew?.();
    this.#renew = null;
    const settings = this.#settings;
    if (settings?.listen !== this.#listening) {
      await this.#receiver?.close();
      this.#receiver = null;
      this.#listening = '';
    }
    if (settings === null) return this.#deps.onTrouble(null);
    const troubles: string[] = [];
    try {
      this.#receiver ??= await this.#listen(settings.listen);
      this.#listening = settings.listen;
      this.#receiver.setSources(await this.#sources(settings, troubles));
    } catch (error) {
      troubles.push(`cannot listen on UDP ${settings.listen}: ${reasonOf(error)}`);
    }
    this.#deps.onTrouble(troubles.length === 0 ? null : troubles.join('; '));
    this.#renew = this.#deps.clock.after(RENEW_MS, () => void this.configure(this.#settings));
  }

  async #sources(settings: TrapSettings, troubles: string[]): Promise<TrapSource[]> {
    const sources = settings.switches.map(async ({ name, hosts, credentials }): Promise<TrapSource> => {
      const found = hosts.map((host) =>
        isIP(host.replace(/%.*$/, '')) > 0
          ? [host]
          : this.#deps.resolve(host).catch(() => {
              troubles.push(`${name}: ${host} has no address now; its notifications are not heard`);
              return [];
            }),
      );
      return { name, addresses: (await Promise.all(found)).flat(), credentials };
    });
    return Promise.all(sources);
  }

  #listen(listen: string): Promise<TrapReceiver> {
    const [, bracketed, bare, port] = /^(?:\[(.+)\]|([^:]+)):([0-9]+)$/.exec(listen) ?? [];
    const { clock, log, rack, onTrap } = this.#deps;
    return TrapReceiver.listen({
      address: bracketed ?? bare ?? '',
      port: Number(port),
      engineId: engineIdOf(rack),
      clock,
      onTrap: (name, trap) => {
        log('debug', { switch: name, trap: trap.kind, oid: trap.oid, ifIndex: trap.ifIndex }, 'notification');
        onTrap(name, trap);
      },
      onProblem: (name, message) => log('warn', { switch: name }, message),
    });
  }
}

/**
 * An engine ID that stays the same over restarts without being stored: a hash of the rack's name in the form for octets of the
 * administrator's choice (RFC 3411, SnmpEngineID: high bit set, enterprise, format 5).
 */
function engineIdOf(rack: string): Uint8Array {
  const hash = createHash('sha256').update(`portkeeper trap receiver ${rack}`).digest();
  return Buffer.concat([Buffer.from([0x80, 0, 0, 0, 5]), hash.subarray(0, 12)]);
}

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') return 'another program has this port; choose another one for traps.listen';
  if (code === 'EACCES')
    return 'a port below 1024 needs the capability CAP_NET_BIND_SERVICE; give it to the service, or choose another port';
  return error instanceof Error ? error.message : String(error);
}
