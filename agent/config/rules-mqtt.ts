import { type Issue, issue } from './problem.ts';
import type { Config } from './schema.ts';

/** The parts of a broker address; null when it is not one. */
export function brokerAddress(
  url: string,
): { readonly tls: boolean; readonly host: string; readonly port: number } | null {
  const match = /^(mqtts?):\/\/(\[[0-9A-Fa-f:.%]+\]|[^:[\]]+)(?::([0-9]{1,5}))?$/.exec(url);
  if (!match) return null;
  const tls = match[1] === 'mqtts';
  const port = match[3] === undefined ? (tls ? 8883 : 1883) : Number(match[3]);
  if (port < 1 || port > 65_535) return null;
  return { tls, host: (match[2] ?? '').replace(/^\[|\]$/g, ''), port };
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host);
}

/** Rules on the connection to the broker. */
export function mqttIssues(config: Config): Issue[] {
  const { mqtt } = config;
  const found: Issue[] = [];
  const address = brokerAddress(mqtt.url);
  if (!address) {
    found.push(issue('error', ['mqtt', 'url'], 'is not a broker address', 'mqtt://HOST[:PORT] or mqtts://HOST[:PORT]'));
    return found;
  }
  if (!address.tls) {
    if (mqtt.passwordFile !== undefined && !isLoopback(address.host)) {
      found.push(
        issue('warning', ['mqtt', 'url'], 'user name and password go over the network in clear text; use mqtts://'),
      );
    }
    for (const key of ['caFile', 'certFile', 'keyFile', 'serverName'] as const) {
      if (mqtt[key] !== undefined) found.push(issue('warning', ['mqtt', key], 'has no effect without mqtts:// in url'));
    }
  }
  if (mqtt.certFile !== undefined && mqtt.keyFile === undefined) {
    found.push(issue('error', ['mqtt', 'certFile'], 'needs keyFile as well'));
  }
  if (mqtt.keyFile !== undefined && mqtt.certFile === undefined) {
    found.push(issue('error', ['mqtt', 'keyFile'], 'needs certFile as well'));
  }
  if (mqtt.passwordFile !== undefined && mqtt.username === undefined) {
    found.push(issue('error', ['mqtt', 'passwordFile'], 'needs username as well'));
  }
  return found;
}
