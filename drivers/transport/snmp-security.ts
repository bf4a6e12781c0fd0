import * as snmp from 'net-snmp';
import type { SnmpAuthProtocol, SnmpPrivProtocol } from '../snmp/session-types.ts';

/** The user of SNMPv3 with authentication and privacy (RFC 3414, RFC 3826, RFC 7860). */
export interface SnmpUser {
  readonly user: string;
  readonly authProtocol: SnmpAuthProtocol;
  readonly authPassword: string;
  readonly privProtocol: SnmpPrivProtocol;
  readonly privPassword: string;
}

const AUTH = {
  md5: 'md5',
  sha1: 'sha',
  sha224: 'sha224',
  sha256: 'sha256',
  sha384: 'sha384',
  sha512: 'sha512',
} as const satisfies Record<SnmpAuthProtocol, string>;
const PRIV = { aes128: 'aes', aes256b: 'aes256b', aes256r: 'aes256r' } as const satisfies Record<
  SnmpPrivProtocol,
  string
>;

/** The user as net-snmp takes it. */
export function authPrivUser({ user, authProtocol, authPassword, privProtocol, privPassword }: SnmpUser) {
  return {
    name: user,
    level: snmp.SecurityLevel.authPriv,
    authProtocol: snmp.AuthProtocols[AUTH[authProtocol]],
    authKey: authPassword,
    privProtocol: snmp.PrivProtocols[PRIV[privProtocol]],
    privKey: privPassword,
  };
}
