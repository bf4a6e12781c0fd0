import type { SwitchIdentity } from '../driver.ts';
import { DriverError } from '../errors.ts';
import { integerOf, octetsOf } from '../mib/decode.ts';
import { vendorOf } from '../mib/enterprise.ts';
import { type ChassisRow, findChassis, readChassis } from '../mib/entity.ts';
import { LOCAL_CHASSIS } from '../mib/lldp.ts';
import { chassisIdOf } from '../mib/lldp-id.ts';
import { readSystem } from '../mib/system.ts';
import { normalizeMac } from '../model/mac.ts';
import type { BootWitness } from './boot-id.ts';
import type { SnmpSession } from './session-types.ts';
import { modelIn, versionIn } from './system-description.ts';

/** dot1dBaseBridgeAddress (BRIDGE-MIB, RFC 4188). */
const BRIDGE_ADDRESS = '1.3.6.1.2.1.17.1.1.0';

/** Says who the switch at the other end of a session is. Where its chassis are in ENTITY-MIB is looked up once. */
export class IdentityReader {
  readonly #session: SnmpSession;
  readonly #boots: BootWitness;
  #chassis: readonly string[] | null = null;

  constructor(session: SnmpSession, boots: BootWitness) {
    this.#session = session;
    this.#boots = boots;
  }

  /**
   * Reads the identity. The serial number is that of the first chassis that has one, which in a stack is the member with the lowest
   * index: it stays when another member becomes master. The chassis ID is LLDP's when that is a MAC address, else the bridge address.
   * Throws what the session throws, and `parse` when the agent shows no system group.
   */
  async read(): Promise<SwitchIdentity> {
    const system = await readSystem(this.#session);
    if (system.description === '' && system.objectId === null && system.uptimeTicks === null)
      throw new DriverError(
        'parse',
        'the SNMP agent shows no system group (1.3.6.1.2.1.1): allow its user or community to read the whole MIB',
      );
    const chassis = await this.#readChassis();
    const first = chassis[0];
    return {
      vendor: vendorOf(system.objectId) ?? firstText(chassis.map((c) => c.manufacturer)),
      model: firstText(chassis.map((c) => c.model)) || modelIn(system.description),
      version: (first?.softwareRevision || versionIn(system.description)).slice(0, 64),
      serial: chassis.find((c) => c.serial !== null)?.serial ?? null,
      chassisId: await this.#readChassisId(),
      systemName: system.name,
      bootId: this.#boots.idOf(system),
    };
  }

  async #readChassis(): Promise<readonly ChassisRow[]> {
    if (this.#chassis !== null && this.#chassis.length > 0) {
      const rows = await readChassis(this.#session, this.#chassis);
      if (rows !== null) return rows;
    }
    if (this.#chassis === null || this.#chassis.length > 0) this.#chassis = await findChassis(this.#session);
    return (await readChassis(this.#session, this.#chassis)) ?? [];
  }

  async #readChassisId(): Promise<string | null> {
    const [subtype, id, bridge] = await this.#session.get([LOCAL_CHASSIS.subtype, LOCAL_CHASSIS.id, BRIDGE_ADDRESS]);
    const lldp = octetsOf(id);
    if (lldp !== null) {
      const said = chassisIdOf(integerOf(subtype), lldp);
      if (said.subtype === 'mac' && isDeviceMac(said.value)) return said.value;
    }
    const octets = octetsOf(bridge);
    const address = octets === null ? null : chassisIdOf(MAC_SUBTYPE, octets);
    return address?.subtype === 'mac' && isDeviceMac(address.value) ? address.value : null;
  }
}

/** LldpChassisIdSubtype of a MAC address. */
const MAC_SUBTYPE = 4;

/** Not all zeros, and not a group address: some agents fill in either before they know better. */
function isDeviceMac(mac: string): boolean {
  const first = Number.parseInt(mac.slice(0, 2), 16);
  return normalizeMac(mac) === mac && mac !== '00:00:00:00:00:00' && (first & 1) === 0;
}

function firstText(texts: readonly string[]): string {
  return (texts.find((text) => text !== '') ?? '').slice(0, 64);
}
