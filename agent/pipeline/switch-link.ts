import type { Driver, DriverContext, SwitchIdentity, SwitchSession, SwitchTarget } from '../../drivers/driver.ts';
import { DriverError } from '../../drivers/errors.ts';
import type { SwitchStoreState } from '../store/state.ts';
import { backoffMs } from './backoff.ts';
import type { Refusal } from './fabric.ts';

/** A refused login is tried again only after a minute and more, so that no account is locked. */
const AUTH_BACKOFF = { base: 60_000, cap: 900_000 } as const;
const REACH_BACKOFF = { base: 1_000, cap: 60_000 } as const;

/** Keeps at most one session with a switch, and knows when the next attempt is due. */
export class SwitchLink {
  readonly #random: () => number;
  readonly #monotonic: () => number;
  #session: SwitchSession | null = null;
  /** Grows with every {@link close}. */
  #generation = 0;
  #attempts = 0;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(monotonic: () => number, random: () => number) {
    this.#monotonic = monotonic;
    this.#random = random;
  }

  get session(): SwitchSession | null {
    return this.#session?.alive ? this.#session : null;
  }

  /** Milliseconds until the next attempt may be made; 0: now. */
  get waitMs(): number {
    return Math.max(0, this.#notBefore - this.#monotonic());
  }

  /** Forgets the back-off: a person or a changed configuration asks for an attempt now. */
  hurry(): void {
    this.#attempts = 0;
    this.#notBefore = Number.NEGATIVE_INFINITY;
  }

  /**
   * The open session, or a new one. Throws {@link DriverError} and sets the back-off. null: the session was closed while it
   * was being opened, so that the target may not be the right one any more.
   */
  async open(
    driver: Driver,
    target: SwitchTarget,
    context: DriverContext,
  ): Promise<{ session: SwitchSession; fresh: boolean } | null> {
    const current = this.session;
    if (current) return { session: current, fresh: false };
    const generation = this.#generation;
    try {
      await this.#drop();
      const session = await driver.open(target, context);
      if (generation !== this.#generation) {
        await session.close();
        return null;
      }
      this.#session = session;
      return { session, fresh: true };
    } catch (error) {
      if (generation !== this.#generation) return null;
      this.failed(error);
      throw error;
    }
  }

  /** Called after a full round went well. */
  succeeded(): void {
    this.hurry();
  }

  /** Called when the switch could not be reached, or the session was of no use. */
  failed(error: unknown): void {
    this.#attempts++;
    const kind = error instanceof DriverError ? error.kind : 'parse';
    const { base, cap } = kind === 'auth' || kind === 'host-key' ? AUTH_BACKOFF : REACH_BACKOFF;
    this.#notBefore = this.#monotonic() + backoffMs(this.#attempts, base, cap, this.#random);
  }

  async close(): Promise<void> {
    this.#generation++;
    await this.#drop();
  }

  async #drop(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    await session?.close();
  }
}

/** What an error of the driver means for the attachments on the switch. */
export function refusalOf(error: DriverError): Refusal {
  switch (error.kind) {
    case 'host-key':
      return { reason: 'SwitchChanged', message: error.message };
    case 'busy':
      return { reason: 'SwitchBusy', message: error.message };
    case 'unsupported':
      return { reason: 'Unsupported', message: error.message };
    default:
      return { reason: 'SwitchUnreachable', message: error.message };
  }
}

/** Compares the switch that answers with the one known. null: the same (or nothing known yet). Pure. */
export function identityChange(known: SwitchStoreState['identity'], now: SwitchIdentity): Refusal | null {
  if (known === null) return null;
  const changes: string[] = [];
  if (known.serial !== null && now.serial !== null && known.serial !== now.serial)
    changes.push(`serial number ${now.serial} instead of ${known.serial}`);
  if (known.chassisId !== null && now.chassisId !== null && known.chassisId !== now.chassisId)
    changes.push(`chassis ID ${now.chassisId} instead of ${known.chassisId}`);
  if (changes.length === 0) return null;
  return { reason: 'SwitchChanged', message: `another switch answers: ${changes.join(', ')}` };
}
