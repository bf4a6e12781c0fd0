import { dirname } from 'node:path';
import type { ConfigFileSystem } from './file-system.ts';
import { certificateProblem, privateKeyProblem } from './key-text.ts';
import { knownHostKeys } from './known-hosts.ts';
import { type Issue, issue } from './problem.ts';
import { fingerprintHelp } from './rules-login.ts';
import { SNMP_DRIVER } from './rules-snmp.ts';
import type { Config, SwitchConfig } from './schema.ts';
import { Secret } from './secret.ts';
import { type FileFolders, type FileKind, readNamedFile } from './secret-files.ts';

/** What the connection to the broker needs besides the configuration; null: not configured. */
export interface MqttCredentials {
  readonly password: Secret | null;
  /** PEM; public. */
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: Secret | null;
}

/** What SNMP at one switch needs besides the configuration. */
export interface SnmpCredentials {
  readonly community: Secret | null;
  readonly writeCommunity: Secret | null;
  readonly authPassword: Secret | null;
  readonly privPassword: Secret | null;
}

/** What the login at one switch needs besides the configuration. */
export interface SwitchCredentials {
  readonly password: Secret | null;
  readonly privateKey: Secret | null;
  readonly passphrase: Secret | null;
  readonly enablePassword: Secret | null;
  readonly snmp: SnmpCredentials;
  /** Fingerprints ("SHA256:...") to accept, from hostKeys and the known_hosts file; empty: pin the first one seen. */
  readonly hostKeys: readonly string[];
}

/** Everything that was read from files of its own. */
export interface Credentials {
  readonly mqtt: MqttCredentials;
  readonly switches: Readonly<Record<string, SwitchCredentials>>;
  /** Files that were found by their name alone, by the path of the key that they stand for. */
  readonly byConvention: ReadonlyMap<string, string>;
  readonly problems: readonly Issue[];
  /** Every file that was read or looked for; to be watched. */
  readonly files: readonly string[];
}

const PASSWORD: FileKind = { secret: true, oneLine: true };
const PRIVATE_KEY: FileKind = { secret: true, oneLine: false };
const PUBLIC: FileKind = { secret: false, oneLine: false };

/**
 * Folders for relative file names: systemd's credentials folder when there is one, then the folder of the configuration
 * file. `file`: its absolute path.
 */
export function credentialFolders(file: string, env: Readonly<Record<string, string | undefined>>): FileFolders {
  const folder = env['CREDENTIALS_DIRECTORY'];
  return folder === undefined || folder === '' ? [dirname(file)] : [folder, dirname(file)];
}

/** Reads every file that the configuration names; never rejects: what is wrong is in `problems`. */
export async function loadCredentials(
  config: Config,
  fs: ConfigFileSystem,
  folders: FileFolders,
): Promise<Credentials> {
  const reader = new Reader(fs, folders);
  const { mqtt } = config;
  const mqttCredentials: MqttCredentials = {
    password: secret(await reader.read(mqtt.passwordFile, PASSWORD, ['mqtt', 'passwordFile'])),
    ca: await reader.read(mqtt.caFile, PUBLIC, ['mqtt', 'caFile'], certificateProblem),
    cert: await reader.read(mqtt.certFile, PUBLIC, ['mqtt', 'certFile'], certificateProblem),
    key: secret(
      await reader.read(mqtt.keyFile, PRIVATE_KEY, ['mqtt', 'keyFile'], (text) => privateKeyProblem(text, false)),
    ),
  };
  const switches: [string, SwitchCredentials][] = [];
  for (const [name, settings] of Object.entries(config.switches)) {
    switches.push([name, await switchCredentials(reader, name, settings)]);
  }
  return {
    mqtt: mqttCredentials,
    switches: Object.fromEntries(switches),
    byConvention: reader.byConvention,
    problems: reader.problems,
    files: [...reader.files],
  };
}

function secret(text: string | null): Secret | null {
  return text === null ? null : new Secret(text);
}

async function switchCredentials(reader: Reader, name: string, settings: SwitchConfig): Promise<SwitchCredentials> {
  const at = ['switches', name];
  const snmp = await snmpCredentials(reader, name, settings);
  // A switch that is spoken to over SNMP needs no SSH.
  if (settings.driver === SNMP_DRIVER)
    return { password: null, privateKey: null, passphrase: null, enablePassword: null, snmp, hostKeys: [] };
  const named = settings.passwordFile !== undefined || settings.privateKeyFile !== undefined;
  const read = async (
    key: 'passwordFile' | 'privateKeyFile',
    kind: FileKind,
    problem?: (text: string) => string | null,
  ) => {
    const path = [...at, key];
    if (named) return reader.read(settings[key], kind, path, problem);
    const usual = `${name}.${key === 'passwordFile' ? 'password' : 'key'}`;
    return reader.readIfThere(usual, kind, path, problem);
  };
  const passphrase = await reader.read(settings.passphraseFile, PASSWORD, [...at, 'passphraseFile']);
  const hasPassphrase = settings.passphraseFile !== undefined;
  const privateKey = await read('privateKeyFile', PRIVATE_KEY, (text) => privateKeyProblem(text, hasPassphrase));
  const password = await read('passwordFile', PASSWORD);
  if (!named && password === null && privateKey === null && !reader.concerns(at)) {
    const message = `no way to log in: give passwordFile or privateKeyFile, or put ${name}.password or ${name}.key into ${reader.shown}`;
    reader.add({ ...issue('error', at, message), atKey: true, fileMissing: true });
  }
  return {
    password: secret(password),
    privateKey: secret(privateKey),
    passphrase: secret(passphrase),
    enablePassword: secret(await reader.read(settings.enablePasswordFile, PASSWORD, [...at, 'enablePasswordFile'])),
    snmp,
    hostKeys: await acceptedKeys(reader, settings, at),
  };
}

/** RFC 3414, section 11.2: a shorter password is none. */
const shortPassword = (text: string) => (Buffer.byteLength(text) < 8 ? 'holds fewer than 8 characters' : null);

async function snmpCredentials(reader: Reader, name: string, { snmp }: SwitchConfig): Promise<SnmpCredentials> {
  const none = { community: null, writeCommunity: null, authPassword: null, privPassword: null };
  if (snmp === undefined) return none;
  const at = ['switches', name, 'snmp'];
  const read = async (
    key: 'communityFile' | 'authPasswordFile' | 'privPasswordFile',
    usual: string,
    problem?: (text: string) => string | null,
  ): Promise<Secret | null> => {
    const path = [...at, key];
    const file = snmp[key];
    const text =
      file === undefined
        ? await reader.readIfThere(`${name}.${usual}`, PASSWORD, path, problem)
        : await reader.read(file, PASSWORD, path, problem);
    if (text === null && !reader.concerns(path)) {
      const message = `is needed for version ${snmp.version}: give ${key}, or put ${name}.${usual} into ${reader.shown}`;
      reader.add({ ...issue('error', at, message), atKey: true, fileMissing: true });
    }
    return secret(text);
  };
  if (snmp.version === '2c')
    return {
      ...none,
      community: await read('communityFile', 'community'),
      writeCommunity: secret(await reader.read(snmp.writeCommunityFile, PASSWORD, [...at, 'writeCommunityFile'])),
    };
  return {
    ...none,
    authPassword: await read('authPasswordFile', 'auth', shortPassword),
    privPassword: await read('privPasswordFile', 'priv', shortPassword),
  };
}

async function acceptedKeys(reader: Reader, settings: SwitchConfig, at: readonly PropertyKey[]): Promise<string[]> {
  const given = (settings.hostKeys ?? []).map((key) => key.replace(/=$/, ''));
  const path = [...at, 'knownHostsFile'];
  const conventional = settings.hostKeys === undefined && settings.knownHostsFile === undefined;
  const text =
    settings.knownHostsFile !== undefined
      ? await reader.read(settings.knownHostsFile, PUBLIC, path)
      : conventional && !settings.trustOnFirstUse
        ? await reader.readIfThere('known_hosts', PUBLIC, path)
        : null;
  const known = text === null ? [] : knownHostKeys(text, settings.host, settings.port);
  if (text !== null && known.length === 0) {
    const message = `has no key for ${settings.host}${settings.port === 22 ? '' : ` port ${settings.port}`}; ${fingerprintHelp(settings)}`;
    reader.add(issue('error', path, message));
  } else if (conventional && text === null && !settings.trustOnFirstUse && !reader.concerns(path)) {
    const message = `no way to know the switch: give hostKeys or knownHostsFile, or set trustOnFirstUse: true; ${fingerprintHelp(settings)}`;
    reader.add({ ...issue('error', at, message), atKey: true, fileMissing: true });
  }
  return [...new Set([...given, ...known])];
}

/** Reads named files and gathers what is wrong with them. */
class Reader {
  readonly problems: Issue[] = [];
  readonly files = new Set<string>();
  readonly byConvention = new Map<string, string>();
  readonly #fs: ConfigFileSystem;
  readonly #folders: FileFolders;

  constructor(fs: ConfigFileSystem, folders: FileFolders) {
    this.#fs = fs;
    this.#folders = folders;
  }

  /** The folders, for a message. */
  get shown(): string {
    return this.#folders.join(' or ');
  }

  add(found: Issue): void {
    this.problems.push(found);
  }

  /** There is a problem at this path or below it. */
  concerns(path: readonly PropertyKey[]): boolean {
    return this.problems.some((problem) => path.every((part, i) => problem.path[i] === part));
  }

  async read(
    name: string | undefined,
    kind: FileKind,
    at: readonly PropertyKey[],
    problem: (text: string) => string | null = () => null,
  ): Promise<string | null> {
    if (name === undefined) return null;
    const file = await readNamedFile(this.#fs, this.#folders, name, kind, at);
    for (const path of file.looked) this.files.add(path);
    this.problems.push(...file.issues);
    const wrong = file.text === null ? null : problem(file.text);
    if (wrong === null) return file.text;
    this.add(issue('error', at, `${file.path} ${wrong}`));
    return null;
  }

  /** A file that is used when it is there, under its usual name. */
  async readIfThere(
    name: string,
    kind: FileKind,
    at: readonly PropertyKey[],
    problem?: (text: string) => string | null,
  ): Promise<string | null> {
    for (const folder of this.#folders) {
      const path = `${folder}/${name}`;
      this.files.add(path);
      if ((await this.#fs.fingerprint(path)) === null) continue;
      this.byConvention.set(at.join('.'), path);
      return this.read(path, kind, at, problem);
    }
    return null;
  }
}
