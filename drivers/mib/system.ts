import type { SnmpSession } from '../snmp/session-types.ts';
import { integerOf, objectIdOf, octetsOf, textOf } from './decode.ts';
import { lineOf } from './line-text.ts';

/** What an agent says of itself: the system group (RFC 3418) and its engine (RFC 3411). Text is sanitised and bounded. */
export interface SystemFacts {
  readonly description: string;
  /** sysObjectID, dotted; null when the agent gives none that is an object identifier. */
  readonly objectId: string | null;
  readonly name: string;
  /** sysUpTime in hundredths of a second, 0 to 2^32-1, from where it starts again; often the agent's age rather than the switch's. */
  readonly uptimeTicks: number | null;
  /** snmpEngineID in hexadecimal, at most 64 digits. */
  readonly engineId: string | null;
  /** snmpEngineBoots, 1 to 2^31-2; null when the agent does not count. */
  readonly engineBoots: number | null;
}

const SYS_DESCR = '1.3.6.1.2.1.1.1.0';
const SYS_OBJECT_ID = '1.3.6.1.2.1.1.2.0';
const SYS_UPTIME = '1.3.6.1.2.1.1.3.0';
const SYS_NAME = '1.3.6.1.2.1.1.5.0';
const ENGINE_ID = '1.3.6.1.6.3.10.2.1.1.0';
const ENGINE_BOOTS = '1.3.6.1.6.3.10.2.1.2.0';

/** At this value the counter sticks for ever (RFC 3414, section 2.2.2). */
const BOOTS_STUCK = 0x7fff_ffff;

/** Reads them in one GET. Throws what {@link SnmpSession.get} throws; what the agent does not have is empty or null. */
export async function readSystem(session: SnmpSession): Promise<SystemFacts> {
  const [description, objectId, uptime, name, engineId, boots] = await session.get([
    SYS_DESCR,
    SYS_OBJECT_ID,
    SYS_UPTIME,
    SYS_NAME,
    ENGINE_ID,
    ENGINE_BOOTS,
  ]);
  const ticks = integerOf(uptime);
  const engine = octetsOf(engineId);
  const count = integerOf(boots);
  return {
    description: lineOf(description),
    objectId: objectIdOf(objectId),
    name: textOf(name),
    uptimeTicks: ticks !== null && ticks >= 0 && ticks <= 0xffff_ffff ? ticks : null,
    // 5 to 32 octets (RFC 3411, SnmpEngineID).
    engineId: engine !== null && engine.length >= 5 && engine.length <= 32 ? Buffer.from(engine).toString('hex') : null,
    engineBoots: count !== null && count > 0 && count < BOOTS_STUCK ? count : null,
  };
}
