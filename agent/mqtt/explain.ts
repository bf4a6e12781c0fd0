import { sanitizeText } from '../../drivers/model/text.ts';
import type { BrokerAddress, SocketPhase } from './broker-socket.ts';

/** What a sentence about a failure may name. Never a password. */
export interface BrokerNames {
  readonly address: BrokerAddress;
  readonly clientId: string;
  readonly username: string | null;
  readonly protocol: '5' | '3.1.1';
}

/** Host and port as a person writes them. */
export function showAddress(address: BrokerAddress): string {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `${address.tls ? 'mqtts' : 'mqtt'}://${host}:${address.port}`;
}

const login = (names: BrokerNames) => (names.username === null ? 'without user name' : `as user "${names.username}"`);

/** Why the broker refused the connection (CONNACK; MQTT 3.1.1, 3.2.2.3 and MQTT 5.0, 3.2.2.2), and what to do. */
export function explainConnack(code: number, reasonString: string | null, names: BrokerNames): string {
  const who = `the broker ${showAddress(names.address)}`;
  const said = reasonString === null || reasonString === '' ? '' : ` (it says: ${sanitizeText(reasonString, 200)})`;
  switch (code) {
    case 1:
    case 132: {
      const other = names.protocol === '5' ? '3.1.1' : '5';
      return `${who} does not speak MQTT ${names.protocol}${said}; set mqtt.protocol: "${other}"`;
    }
    case 2:
    case 133:
      return `${who} refuses the client ID "${names.clientId}"${said}; set another mqtt.clientId`;
    case 4:
    case 134:
    case 140:
      return `${who} refuses the login ${login(names)}${said}; correct mqtt.username and the content of mqtt.passwordFile`;
    case 5:
    case 135:
      return `${who} does not authorise the connection ${login(names)}${said}; correct mqtt.username and the content of mqtt.passwordFile, or allow the client in the broker`;
    case 138:
      return `${who} has banned this client${said}; lift the ban in the broker`;
    case 3:
    case 136:
    case 137:
    case 151:
    case 159:
      return `${who} is not ready or overloaded${said}; nothing to do unless it lasts`;
    case 144:
    case 149:
    case 153:
      return `${who} refuses the Last Will${said}; check its limits for topics and packets`;
    case 154:
      return `${who} does not keep retained messages${said}; enable them, the contract needs them`;
    case 155:
      return `${who} does not offer QoS 1${said}; enable it, the contract needs it`;
    case 156:
    case 157:
      return `${who} wants another server to be used${said}; set mqtt.url to it`;
    default:
      return `${who} refuses the connection with reason code ${code}${said}; see the broker's log`;
  }
}

/** Why the broker ended the connection (DISCONNECT; MQTT 5.0, 3.14.2.1), and what to do. */
export function explainDisconnect(code: number, reasonString: string | null, names: BrokerNames): string {
  const said = reasonString === null || reasonString === '' ? '' : ` (it says: ${sanitizeText(reasonString, 200)})`;
  switch (code) {
    case 142:
      return `another client took over the client ID "${names.clientId}"${said}; stop the other one, or give each agent its own mqtt.clientId`;
    case 135:
      return `the broker no longer authorises the connection ${login(names)}${said}; check the broker's access rules`;
    case 137:
    case 139:
    case 151:
    case 159:
      return `the broker shuts down or is overloaded${said}; nothing to do unless it lasts`;
    case 141:
      return `the broker heard nothing within the keep-alive${said}; check the network, or raise mqtt.keepalive`;
    case 147:
    case 149:
    case 150:
      return `the broker refuses the amount of data that the agent sends${said}; raise its limits for packets`;
    case 152:
      return `the broker was told to end the connection${said}; ask its administrator`;
    default:
      return `the broker ended the connection with reason code ${code}${said}; see the broker's log`;
  }
}

/** A connection that the broker or the network closed without a word. */
export function explainClose(names: BrokerNames, sessionOpen: boolean, shortLived: boolean): string {
  if (!sessionOpen) {
    const tls = names.address.tls
      ? 'it may want a client certificate (mqtt.certFile, mqtt.keyFile)'
      : 'the port may be one for TLS (mqtts://), or not an MQTT broker';
    return `${showAddress(names.address)} closed the connection before it answered; ${tls}`;
  }
  return shortLived
    ? `the broker closed the connection soon after accepting it; if this repeats, another client may be using the client ID "${names.clientId}", see the broker's log`
    : 'the broker closed the connection';
}

const HANGS: Record<SocketPhase, string> = {
  tcp: 'does not answer; check the address, the network and the firewall',
  tls: 'does not finish the TLS handshake; check that the port is one for TLS',
  open: 'accepts the connection but does not answer to MQTT; check that it is an MQTT broker and that the port is right',
};

/** No session within the deadline. */
export function explainHang(phase: SocketPhase, seconds: number, names: BrokerNames): string {
  return `${showAddress(names.address)} ${HANGS[phase]} (gave up after ${seconds} s)`;
}

const CA_CODES = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);
const CLIENT_CERT =
  /CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED|ACCESS_DENIED/;
const WRONG_PROTOCOL = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/;

/** What an error of the socket, of TLS or of the MQTT library means, and what to do. */
export function explainError(error: unknown, names: BrokerNames): string {
  const code = textOf(error, 'code');
  const where = showAddress(names.address);
  const { host } = names.address;
  switch (code) {
    case 'ENOTFOUND':
      return `the name "${host}" is not known; correct the host in mqtt.url, or the name server`;
    case 'EAI_AGAIN':
      return `the name "${host}" cannot be looked up now; check the name server`;
    case 'ECONNREFUSED':
      return `nothing listens at ${where}; check that the broker runs and that the port is right`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'EADDRNOTAVAIL':
      return `${where} cannot be reached (${code}); check the network and the firewall`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${where} cut the connection (${code}); check the broker and the network`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `the certificate of ${where} is for another name; correct the host in mqtt.url, or set mqtt.serverName to a name in the certificate`;
    case 'CERT_HAS_EXPIRED':
      return `the certificate of ${where} has expired; renew it, or correct the clock of this machine`;
    case 'CERT_NOT_YET_VALID':
      return `the certificate of ${where} is not valid yet; correct the clock of this machine`;
    case 'MQTT_FRAMING':
      return `${where} sent something that cannot be understood; check that it is an MQTT broker and that the port is right`;
  }
  if (CA_CODES.has(code)) {
    return `the certificate of ${where} is not signed by a trusted CA (${code}); set mqtt.caFile to the CA that signed it`;
  }
  if (WRONG_PROTOCOL.test(code)) return `${where} does not speak TLS; use mqtt:// or the broker's port for TLS`;
  if (CLIENT_CERT.test(code)) {
    return `${where} refuses the client certificate or asks for one (${code}); check mqtt.certFile and mqtt.keyFile`;
  }
  if (code.startsWith('ERR_OSSL_')) {
    return `mqtt.caFile, mqtt.certFile or mqtt.keyFile cannot be used (${code}); they must be PEM, and the key must belong to the certificate`;
  }
  const message = sanitizeText(textOf(error, 'message') || 'unknown error', 200);
  if (message === 'Keepalive timeout') return `${where} no longer answers; check the network`;
  return code === ''
    ? `${where} sent something that cannot be understood (${message}); check that it is an MQTT broker and that the port is right`
    : `the connection to ${where} failed: ${message} (${sanitizeText(code, 60)})`;
}

/** `error[key]` when it is text; a number becomes "". */
function textOf(error: unknown, key: 'code' | 'message'): string {
  const value = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[key] : undefined;
  return typeof value === 'string' ? value : '';
}
