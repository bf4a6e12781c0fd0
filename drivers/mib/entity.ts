import type { SnmpSession } from '../snmp/session-types.ts';
import { integerOf, textOf } from './decode.ts';

/** A row of entPhysicalTable (ENTITY-MIB, RFC 6933) that is a chassis or a stack. Text is sanitised and bounded, "" where there is none. */
export interface ChassisRow {
  readonly index: string;
  readonly serial: string | null;
  readonly model: string;
  readonly softwareRevision: string;
  readonly manufacturer: string;
}

const ENTRY = '1.3.6.1.2.1.47.1.1.1.1';
const CLASS = `${ENTRY}.5`;
const SOFTWARE_REVISION = `${ENTRY}.10`;
const SERIAL = `${ENTRY}.11`;
const MANUFACTURER = `${ENTRY}.12`;
const MODEL = `${ENTRY}.13`;

/** entPhysicalClass. */
const CHASSIS = 3;
const STACK = 11;

/** A chassis switch has some thousand rows; beyond this the first chassis has long been seen. */
const MAX_ROWS = 20_000;
/** Members of a stack that are looked at. */
const MAX_CHASSIS = 16;

/**
 * Indexes of the chassis rows, of the stack rows where there is no chassis, in ascending order; empty when the switch has no
 * ENTITY-MIB. Walks one column of all that is built into the switch, so it is worth keeping.
 */
export async function findChassis(session: SnmpSession): Promise<readonly string[]> {
  const walked = await session.walk([CLASS], { maxRows: MAX_ROWS });
  const rows = [...(walked.columns.get(CLASS) ?? [])].filter(([index]) => /^[0-9]{1,10}$/.test(index));
  const ofClass = (wanted: number) => rows.flatMap(([index, value]) => (integerOf(value) === wanted ? [index] : []));
  const chassis = ofClass(CHASSIS);
  return (chassis.length > 0 ? chassis : ofClass(STACK)).sort((a, b) => Number(a) - Number(b)).slice(0, MAX_CHASSIS);
}

/** Those rows, in the same order; null when one of them is no chassis or stack any more. */
export async function readChassis(
  session: SnmpSession,
  indexes: readonly string[],
): Promise<readonly ChassisRow[] | null> {
  if (indexes.length === 0) return [];
  const columns = [CLASS, SERIAL, MODEL, SOFTWARE_REVISION, MANUFACTURER];
  const values = await session.get(indexes.flatMap((index) => columns.map((column) => `${column}.${index}`)));
  const rows: ChassisRow[] = [];
  for (const [i, index] of indexes.entries()) {
    const [kind, serial, model, revision, manufacturer] = values.slice(i * columns.length, (i + 1) * columns.length);
    const number = integerOf(kind);
    if (number !== CHASSIS && number !== STACK) return null;
    rows.push({
      index,
      serial: serialOf(textOf(serial)),
      model: textOf(model),
      softwareRevision: textOf(revision),
      manufacturer: textOf(manufacturer),
    });
  }
  return rows;
}

/** A serial number, bounded; null for the words that agents put where they have none. */
function serialOf(text: string): string | null {
  return /^(?:|n\/?a|none|null|unknown|not (?:available|specified|set)|[0x.\s-]*)$/i.test(text)
    ? null
    : text.slice(0, 64);
}
