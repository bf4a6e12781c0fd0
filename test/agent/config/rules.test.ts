import { describe, expect, test } from 'vitest';
import { resolveNetwork } from '../../../agent/config/rules-networks.ts';
import { configOf, GOOD, lines } from './support.ts';

/** The good file with another networks block, or with lines put behind a key. */
const networks = (text: string) => `${GOOD.slice(0, GOOD.indexOf('networks:'))}networks:\n${text}\n`;
const inSwitch = (text: string) => GOOD.replace('    username: pk\n', `    username: pk\n    ${text}\n`);
const inMqtt = (text: string) => GOOD.replace('  url: mqtts://broker\n', `  url: mqtts://broker\n  ${text}\n`);

/** Expects a line with all parts. */
function expectLine(text: string, ...parts: string[]): void {
  const found = lines(text);
  expect(
    found.some((line) => parts.every((part) => line.includes(part))),
    `${parts.join(' ... ')} in\n${found.join('\n')}`,
  ).toBe(true);
}

describe('networks', () => {
  test.each([
    ['  idle: { }', 'networks.idle: mode access needs nativeVLAN'],
    ['  idle: { nativeVLAN: 1, allowedVLANs: [2] }', 'networks.idle.allowedVLANs: mode access takes no allowedVLANs'],
    ['  idle: { mode: trunk }', 'networks.idle: mode trunk needs allowedVLANs or nativeVLAN'],
    ['  idle: { mode: hybrid, allowedVLANs: [5] }', 'networks.idle: mode hybrid needs nativeVLAN'],
    ['  idle: { mode: hybrid, nativeVLAN: 5 }', 'networks.idle: mode hybrid needs allowedVLANs'],
    [
      '  idle: { mode: trunk, allowedVLANs: ["20-10"] }',
      'networks.idle.allowedVLANs[0]: "20-10" is reversed: write "10-20"',
    ],
    [
      '  idle: { mode: trunk, allowedVLANs: ["1-4095"] }',
      'networks.idle.allowedVLANs[0]: 1-4095 is outside the VLAN IDs',
    ],
    [
      '  idle: { nativeVLAN: 9 }\n  a: idel',
      'networks.a: there is no network of that name in networks; did you mean "idle"?',
    ],
    ['  idle: { nativeVLAN: 9 }\n  a: b\n  b: c\n  c: a', 'networks.a: stands for itself in a circle'],
    ['  idle: { nativeVLAN: 9 }\n  a: a', 'networks.a: stands for itself in a circle'],
    [
      '  other: { nativeVLAN: 9 }',
      'warning: networks: there is no network "idle": a port whose intent is withdrawn keeps the VLANs it has',
    ],
  ])('%s', (text, expected) => {
    expectLine(networks(text), expected);
  });

  test('that are right', () => {
    const good =
      '  idle: { mode: trunk, allowedVLANs: [] }\n  a: b\n  b: { mode: trunk, nativeVLAN: 5, allowedVLANs: [5, "6-9"] }';
    expect(lines(networks(good))).toEqual([]);
    const { networks: all } = configOf(networks(good));
    expect(resolveNetwork(all, 'a')).toMatchObject({ nativeVLAN: 5 });
    expect(resolveNetwork(all, 'constructor')).toBeNull();
    expect(resolveNetwork({ a: 'b', b: 'a' }, 'a')).toBeNull();
  });
});

describe('switches', () => {
  test.each([
    [
      'protectedPorts: [swp4-swp5]',
      'warning: switches.tor1.protectedPorts[0]: this port is in managedPorts, too; protected wins',
    ],
    ['protectedPorts: [swp1-swp9]', '4 of these ports are in managedPorts'],
    ['protectedPorts: [swp9-swp5]', 'switches.tor1.protectedPorts[0]: '],
    ['protectedPorts: [swp9, SWP9]', 'switches.tor1.protectedPorts[1]: stands in this list twice'],
    ['uplinksConfirmed: [swp9]', 'warning: switches.tor1.uplinksConfirmed[0]: has no effect'],
    ['hostKeys: []', 'switches.tor1.hostKeys: the list is empty', 'ssh-keyscan 192.0.2.1 | ssh-keygen -lf -'],
    ['passphraseFile: x', 'warning: switches.tor1.passphraseFile: has no effect without privateKeyFile'],
    ['trustOnFirstUse: true\n    knownHostsFile: x', 'warning: switches.tor1.trustOnFirstUse: has no effect'],
  ])('%s', (text, ...expected) => {
    expectLine(inSwitch(text), ...expected);
  });

  test.each([
    ['driver: sim', 'driver: cisco', 'switches.tor1.driver: there is no driver of that name; did you mean sim?'],
    ['driver: sim', 'driver: picky\n    options: { x: 1 }', 'switches.tor1.options: takes no options'],
    ['managedPorts: [swp1-swp4]', 'managedPorts: []', 'warning: switches: no switch has managedPorts'],
    [
      '  tor1:',
      '  TOR1: { driver: sim, host: h, username: u }\n  tor1:',
      'differs from switch TOR1 only in upper and lower case',
    ],
    [
      '  tor1:',
      '  a: { driver: sim, host: 192.0.2.1, username: u }\n  tor1:',
      'switches.tor1.host: the same switch as a',
    ],
    [
      '  tor1:',
      '  a: { driver: sim, host: 192.0.2.1, username: u, options: { bridge: x } }\n  tor1:',
      'warning: switches.tor1.host: the same host and port as a',
    ],
    ['mode: manage', 'mode: observe', 'info: mode: observe'],
    ['mode: manage', 'stateDir: var', 'stateDir: is not an absolute path'],
    ['mode: manage', `runtimeDir: /${'x'.repeat(100)}`, 'runtimeDir: is too long for a socket in it'],
    ['    username: pk', '    username: pk\n    parkingVlan: 7', 'idle', ''],
  ])('%s as %s', (from, to, ...expected) => {
    if (expected.length === 1) expectLine(GOOD.replace(from, to), ...expected);
    else expect(lines(GOOD.replace(from, to))).toEqual([]);
  });

  test('the parking VLAN must not be a provider network', () => {
    expectLine(
      inSwitch('parkingVlan: 8').replace('networks:', 'networks:\n  a: { nativeVLAN: 8 }'),
      'parkingVlan: leads nowhere, so that network a must not use it',
    );
  });
});

describe('the broker', () => {
  test.each([
    ['passwordFile: x', 'mqtt.passwordFile: needs username'],
    ['certFile: x', 'mqtt.certFile: needs keyFile'],
    ['keyFile: x', 'mqtt.keyFile: needs certFile'],
  ])('%s', (text, expected) => {
    expectLine(inMqtt(text), expected);
  });

  test.each([
    ['mqtt://broker', 'warning: mqtt.url: user name and password go over the network in clear text'],
    ['mqtt://broker:0', 'mqtt.url: is not a broker address'],
    ['mqtts://broker:99999', 'mqtt.url: is not a broker address'],
    ['mqtts://:1883', 'mqtt.url: is not a broker address'],
  ])('%s', (url, expected) => {
    expectLine(inMqtt('username: u\n  passwordFile: x').replace('mqtts://broker', url), expected);
  });

  test.each(['mqtt://localhost', 'mqtt://127.0.0.1:1883', 'mqtt://[::1]:1883', 'mqtts://[2001:db8::1]'])(
    '%s is good',
    (url) => {
      expect(lines(inMqtt('username: u\n  passwordFile: x').replace('mqtts://broker', `"${url}"`))).toEqual([]);
    },
  );

  test('files for TLS without TLS', () => {
    expectLine(inMqtt('caFile: x').replace('mqtts:', 'mqtt:'), 'warning: mqtt.caFile: has no effect without mqtts://');
  });
});

describe('publishers', () => {
  test.each([
    [
      '{ p: { ports: { torr1: [swp1] } } }',
      'publishers.p.ports.torr1: there is no switch of that name in switches; did you mean "tor1"?',
    ],
    ['{ p: { ports: { tor1: [swp4-swp1] } } }', 'publishers.p.ports.tor1[0]: '],
    [
      '{ p: { networks: [idel] } }',
      'publishers.p.networks[0]: there is no network of that name in networks; did you mean "idle"?',
    ],
    ['{ p: { vlans: ["5-1"] } }', 'publishers.p.vlans[0]: "5-1" is reversed'],
    ['{ p: { vlans: ["900-1000"] } }', 'warning: publishers.p.vlans: VLAN 999 is provider network idle as well'],
    ['{}', 'warning: publishers: no publisher is listed'],
  ])('%s', (text, expected) => {
    expectLine(`${GOOD}publishers: ${text}\n`, expected);
  });

  test('absent, empty and given lists stay apart', () => {
    const { publishers } = configOf(
      `${GOOD}publishers: { a: {}, b: { vlans: [], networks: [], ports: {} }, c: { vlans: [5] } }\n`,
    );
    expect(publishers).toEqual({ a: {}, b: { vlans: [], networks: [], ports: {} }, c: { vlans: [5] } });
    expect(configOf(GOOD).publishers).toBeUndefined();
  });
});
