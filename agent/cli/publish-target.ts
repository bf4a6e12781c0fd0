import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findDriver } from '../../drivers/registry.ts';
import { credentialFolders, loadCredentials } from '../config/credentials.ts';
import { diskConfigFiles } from '../config/file-system.ts';
import { loadConfig } from '../config/load.ts';
import type { Config, MqttConfig } from '../config/schema.ts';
import { publisherName } from '../model/intent.ts';
import { formatPath } from '../model/path.ts';
import type { MqttCredentials } from '../mqtt/options.ts';
import type { CliIo, CommandCall } from './command.ts';
import { defaultConfigFile } from './config.ts';
import { CliError, EXIT, usageError } from './exit-codes.ts';
import { unreadable } from './publish-document.ts';
import { printable } from './text.ts';

/** Where a document goes. */
export interface PublishTarget {
  readonly publisher: string;
  readonly rack: string;
  readonly prefix: string;
  readonly broker: Pick<MqttConfig, 'url' | 'protocol' | 'username' | 'serverName'>;
  readonly credentials: MqttCredentials;
}

const RACK = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const PREFIX = /^[^#+$/\u0000-\u001f][^#+\u0000-\u001f]{0,127}$/;
const LARGEST_SECRET = 65_536;

/** What the configuration file says; nothing when it is not read. */
interface Base {
  readonly rack?: string;
  readonly prefix?: string;
  readonly broker?: MqttConfig;
  readonly credentials?: MqttCredentials;
}

/**
 * Broker, rack and publisher from the flags; what they do not say comes from the configuration file, which is not read
 * at all when `--broker` is given without `--config`. With `--broker` no login of the configuration is used: it is meant
 * for another broker.
 */
export async function readTarget(call: CommandCall, io: CliIo): Promise<PublishTarget> {
  const publisher = call.value('publisher');
  if (publisher === undefined) throw usageError('publish needs --publisher NAME', 'portkeeper help publish');
  if (!publisherName.safeParse(publisher).success) {
    throw usageError(`"${publisher}" is not a publisher name: lower-case letters, digits and "-", at most 64`);
  }
  const otherBroker = call.value('broker');
  const base: Base = otherBroker !== undefined && call.value('config') === undefined ? {} : await fromConfig(call, io);
  const known = otherBroker === undefined ? base.broker : undefined;
  const url = otherBroker ?? known?.url ?? '';
  if (!/^mqtts?:\/\/[^\s/@]+$/.test(url)) {
    throw usageError('--broker takes mqtt://HOST[:PORT] or mqtts://HOST[:PORT], without user or password');
  }
  const rack = call.value('rack') ?? base.rack;
  if (rack === undefined) {
    throw usageError('publish needs --rack NAME when there is no configuration file', 'portkeeper help publish');
  }
  if (!RACK.test(rack))
    throw usageError(`"${rack}" is not a rack name: lower-case letters, digits and "-", at most 64`);
  const prefix = call.value('prefix') ?? base.prefix ?? 'portkeeper/v1';
  if (!PREFIX.test(prefix)) throw usageError('--prefix takes topic levels without wildcards');
  const username = call.value('username') ?? known?.username;
  const serverName = call.value('server-name') ?? known?.serverName;
  const credentials = known === undefined ? undefined : base.credentials;
  return {
    publisher,
    rack,
    prefix,
    broker: {
      url,
      protocol: readProtocol(call.value('protocol')) ?? known?.protocol ?? '5',
      ...(username === undefined ? {} : { username }),
      ...(serverName === undefined ? {} : { serverName }),
    },
    credentials: {
      password: (await secret(call.value('password-file'))) ?? credentials?.password ?? null,
      ca: (await secret(call.value('ca'))) ?? credentials?.ca ?? null,
      cert: (await secret(call.value('cert'))) ?? credentials?.cert ?? null,
      key: (await secret(call.value('key'))) ?? credentials?.key ?? null,
    },
  };
}

function readProtocol(text: string | undefined): MqttConfig['protocol'] | undefined {
  if (text === undefined || text === '5' || text === '3.1.1') return text;
  throw usageError('--protocol takes 5 or 3.1.1');
}

async function fromConfig(call: CommandCall, io: CliIo): Promise<Base> {
  const file = call.value('config') ?? defaultConfigFile(io.env);
  let text: Uint8Array;
  try {
    text = await readFile(file);
  } catch (error) {
    const cannot = unreadable(file, error);
    throw new CliError(cannot.exit, cannot.message, {
      why: `${cannot.why ?? 'you may not'}; it would say where the broker is`,
      type: 'give --broker URL --rack NAME, or --config FILE',
    });
  }
  const loaded = loadConfig(text, file, { findDriver });
  if (!loaded.ok) {
    throw new CliError(EXIT.config, `${printable(file)} is not valid`, {
      type: `portkeeper config check ${printable(file)}`,
    });
  }
  const { rack, mqtt } = loaded.config;
  const base = { rack, prefix: mqtt.prefix };
  if (call.value('broker') !== undefined) return base;
  return { ...base, broker: mqtt, credentials: await brokerCredentials(loaded.config, file, call, io) };
}

/** The files for the broker only: who publishes need not be able to read the passwords of the switches. */
async function brokerCredentials(config: Config, file: string, call: CommandCall, io: CliIo): Promise<MqttCredentials> {
  const mqtt = { ...config.mqtt };
  if (call.value('password-file') !== undefined) delete mqtt.passwordFile;
  if (call.value('ca') !== undefined) delete mqtt.caFile;
  if (call.value('cert') !== undefined) delete mqtt.certFile;
  if (call.value('key') !== undefined) delete mqtt.keyFile;
  const folders = credentialFolders(resolve(file), io.env);
  const read = await loadCredentials({ ...config, mqtt, switches: {} }, diskConfigFiles, folders);
  const problem = read.problems.find((found) => found.severity === 'error');
  if (problem !== undefined) {
    throw new CliError(EXIT.input, `cannot log in at the broker: ${formatPath(problem.path)}: ${problem.message}`, {
      type: `portkeeper config check ${printable(file)}, or run this command with sudo`,
    });
  }
  const { password, ca, cert, key } = read.mqtt;
  return { password: password?.reveal() ?? null, ca, cert, key: key?.reveal() ?? null };
}

/** The content of a file that holds a secret or a certificate, without the line end; null when none is named. */
async function secret(file: string | undefined): Promise<string | null> {
  if (file === undefined) return null;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
  if (text.length > LARGEST_SECRET) {
    throw new CliError(EXIT.input, `${printable(file)} is too large for a secret or a certificate`);
  }
  return text.replace(/\r?\n$/, '');
}
