import * as z from 'zod';
import { networkName, publisherName } from '../model/intent.ts';

/**
 * The configuration file. One definition: validation, types, the JSON Schema for editors and docs/config.md come from it.
 *
 * Lists that allow something have three values: absent (no rule), empty (nothing allowed) and a list.
 */
const path = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\u0000-\u001f\u007f]+$/, 'a file name');
const login = z
  .string()
  .min(1)
  .regex(/^[^\u0000-\u001f\u007f]+$/, 'text without control characters');
const seconds = (def: number, min: number, max: number, what: string) =>
  z.number().min(min).max(max).default(def).describe(`${what} Seconds, ${min} to ${max}.`);
const vlanList = z
  .array(z.union([z.int().min(1).max(4094), z.string().regex(/^[0-9]{1,4}(-[0-9]{1,4})?$/, '"from-to"')]))
  .max(512);
const portPattern = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/ -]{0,62}$/, 'a port name or a range such as swp1-swp48 or Ethernet1/1-48');
const portList = z.array(portPattern).max(4096);
const rackName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, 'lower-case letters, digits and "-", at most 64');
const switchName = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/, 'letters, digits and . _ -, at most 64');

const mqttSchema = z.strictObject({
  url: z
    .string()
    .regex(/^(mqtt|mqtts):\/\/[^\s/@]+$/, 'mqtt://HOST[:PORT] or mqtts://HOST[:PORT], without user or password')
    .describe('Broker address. mqtts: TLS. Default ports 1883 and 8883.'),
  protocol: z.enum(['5', '3.1.1']).default('5').describe('MQTT version to speak.'),
  prefix: z
    .string()
    .regex(/^[^#+$/\u0000-\u001f][^#+\u0000-\u001f]{0,127}$/, 'topic levels without wildcards')
    .default('portkeeper/v1')
    .describe('Topics below PREFIX/RACK.'),
  clientId: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,64}$/, 'letters, digits and . _ : -, at most 64')
    .optional()
    .describe('Default: portkeeper-RACK. Must be unique at the broker.'),
  username: login.max(256).optional().describe('User name at the broker.'),
  passwordFile: path.optional().describe('File that holds the password.'),
  caFile: path.optional().describe('PEM of the CA that signed the broker certificate; default: the system CAs.'),
  certFile: path.optional().describe('PEM client certificate.'),
  keyFile: path.optional().describe('PEM key of the client certificate.'),
  serverName: z
    .string()
    .max(253)
    .optional()
    .describe('Name to expect in the broker certificate, when it is not the host of url.'),
  keepalive: seconds(30, 5, 600, 'MQTT keep-alive.'),
  sessionExpiry: seconds(604_800, 60, 4_294_967_294, 'How long the broker keeps the session while the agent is away.'),
  willDelay: seconds(30, 0, 3600, 'How long the broker waits before it reports the agent offline (MQTT 5).'),
});

const snmpSchema = z.strictObject({
  version: z
    .enum(['3', '2c'])
    .default('3')
    .describe('3: with authentication and privacy. 2c: anybody on the path can read and forge it.'),
  port: z.int().min(1).max(65_535).default(161).describe('UDP port of the agent.'),
  user: login.max(32).optional().describe('User name of version 3.'),
  authProtocol: z
    .enum(['sha1', 'md5', 'sha224', 'sha256', 'sha384', 'sha512'])
    .default('sha256')
    .describe('md5 and sha1 are for old switches.'),
  authPasswordFile: path
    .optional()
    .describe(
      'File that holds the authentication password, at least 8 characters. Default: SWITCH.auth when it is there.',
    ),
  privProtocol: z
    .enum(['aes128', 'aes256b', 'aes256r'], {
      error: ({ input }) =>
        typeof input === 'string' && /des/i.test(input)
          ? 'DES can be broken and is not offered; use aes128'
          : undefined,
    })
    .default('aes128')
    .describe(
      'aes256r is AES-256 as Cisco extends keys, aes256b as most others do; they differ with md5 and sha1 only.',
    ),
  privPasswordFile: path
    .optional()
    .describe('File that holds the privacy password, at least 8 characters. Default: SWITCH.priv when it is there.'),
  context: login.max(255).optional().describe('Context of version 3.'),
  communityFile: path
    .optional()
    .describe('File that holds the community of version 2c. Default: SWITCH.community when it is there.'),
  writeCommunityFile: path.optional().describe('File that holds the community for writing; absent: the same.'),
  timeout: seconds(1, 0.1, 30, 'Deadline for the answer to one request; each repetition waits half as long again.'),
  retries: z.int().min(0).max(10).default(3).describe('How often a reading request is repeated. Writes never are.'),
  maxRepetitions: z
    .int()
    .min(1)
    .max(100)
    .default(25)
    .describe('Rows asked for at once; fewer where the switch asks for it.'),
  trapHosts: z
    .array(z.string().min(1).max(253))
    .max(16)
    .optional()
    .describe('Addresses from which the switch sends notifications. Absent: host.'),
});

const switchSchema = z.strictObject({
  driver: z
    .string()
    .max(64)
    .describe('Network operating system, or a networking-generic-switch device type. See `portkeeper config drivers`.'),
  host: z
    .string()
    .max(253)
    .regex(
      /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$|^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*(?:%[A-Za-z0-9._-]+)?$/,
      'a host name or IP address',
    )
    .describe('Address or name of the management interface.'),
  port: z.int().min(1).max(65_535).default(22).describe('SSH port.'),
  username: login.max(128).optional().describe('User name at the switch. Required for drivers over SSH.'),
  passwordFile: path
    .optional()
    .describe(
      'File that holds the password. Without this and privateKeyFile, SWITCH.password is used when it is there.',
    ),
  privateKeyFile: path
    .optional()
    .describe(
      'Private key in PEM or OpenSSH form. Without this and passwordFile, SWITCH.key is used when it is there.',
    ),
  passphraseFile: path.optional().describe('Passphrase of the private key.'),
  enablePasswordFile: path.optional().describe('Password of the privileged mode, where the switch asks for one.'),
  hostKeys: z
    .array(z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'SHA256:... as ssh-keygen -lf prints it'))
    .max(8)
    .optional()
    .describe('Fingerprints of the host keys to accept.'),
  knownHostsFile: path
    .optional()
    .describe(
      'OpenSSH known_hosts file to take the host keys from. Without this, hostKeys and trustOnFirstUse, known_hosts is used.',
    ),
  trustOnFirstUse: z.boolean().default(false).describe('Accept and pin the first host key seen when none is given.'),
  algorithms: z
    .enum(['modern', 'legacy'])
    .default('modern')
    .describe('legacy also offers SHA-1 and CBC algorithms for old switches.'),
  managedPorts: portList.optional().describe('The ports that the agent may write. Absent or empty: none.'),
  protectedPorts: portList.default([]).describe('Ports that are never written, whatever else says so.'),
  uplinksConfirmed: portList
    .default([])
    .describe('Ports with a bridge or router as neighbour that may be managed all the same.'),
  parkingVlan: z
    .int()
    .min(1)
    .max(4094)
    .optional()
    .describe('A VLAN that leads nowhere, for switches that need one to make a port carry nothing.'),
  pollInterval: seconds(30, 1, 3600, 'How often the switch is read.'),
  connectTimeout: seconds(10, 1, 120, 'Deadline for connection and login.'),
  commandTimeout: seconds(30, 1, 600, 'Deadline for the answer to one command.'),
  read: z
    .enum(['ssh', 'snmp'])
    .optional()
    .describe(
      'How the switch is watched. Absent: by the driver. snmp, with a driver over SSH: changes, links and neighbours are seen over SNMP, and the configuration is read over SSH when something changed.',
    ),
  write: z
    .enum(['ssh', 'snmp'])
    .optional()
    .describe('How the switch is written: by the driver, which this must agree with.'),
  snmp: snmpSchema.optional().describe('SNMP at the same host; for the driver snmp, and for read: snmp.'),
  options: z.record(z.string(), z.unknown()).default({}).describe('Options of the driver; see docs/drivers.md.'),
});

const networkSchema = z.union([
  networkName.describe('Another name for the network of that name.'),
  z.strictObject({
    mode: z
      .enum(['access', 'trunk', 'hybrid'])
      .default('access')
      .describe(
        'access: untagged in nativeVLAN only. trunk: tagged in allowedVLANs. hybrid: a trunk that has a nativeVLAN.',
      ),
    nativeVLAN: z
      .int()
      .min(1)
      .max(4094)
      .optional()
      .describe('VLAN of untagged frames. Required for access and hybrid.'),
    allowedVLANs: vlanList
      .optional()
      .describe('Exact list of tagged VLANs, IDs and "from-to" ranges. Empty: none. Not for access.'),
    mtu: z
      .int()
      .min(68)
      .max(65_535)
      .optional()
      .describe('Layer 2 MTU in bytes as the switch counts it. Absent: left as it is.'),
    adminState: z.enum(['up', 'down']).default('up').describe('down: the port is shut.'),
  }),
]);

const publisherSchema = z.strictObject({
  ports: z
    .record(switchName, portList)
    .optional()
    .describe(
      'Ports by switch that the publisher may use. Absent: every managed port; a switch that is not listed: none of its ports.',
    ),
  vlans: vlanList.optional().describe('VLANs that the publisher may use in a switchport. Absent: all.'),
  networks: z
    .array(networkName)
    .max(256)
    .optional()
    .describe('Provider networks that the publisher may use. Absent: all.'),
});

export const configSchema = z
  .strictObject({
    rack: rackName.describe('Name of this rack; part of every topic.'),
    mode: z
      .enum(['observe', 'manage'])
      .default('observe')
      .describe('observe: report and plan, never write. manage: write.'),
    mqtt: mqttSchema.describe('Connection to the broker.'),
    switches: z
      .record(switchName, switchSchema)
      .refine((s) => Object.keys(s).length > 0, 'name at least one switch')
      .describe('The switches of this rack, by a name of your choice.'),
    networks: z
      .record(networkName, networkSchema)
      .default({})
      .describe('Provider networks. "idle" is where a managed port without attachment goes.'),
    unknownNetwork: z
      .enum(['reject', 'useSwitchport'])
      .default('reject')
      .describe('What to do with an attachment that names a network this rack has not, and has a switchport as well.'),
    publishers: z
      .record(publisherName, publisherSchema)
      .optional()
      .describe('Who may use what. Absent: any publisher may use every managed port.'),
    vlans: z
      .strictObject({
        manage: z
          .boolean()
          .default(true)
          .describe('Create VLANs that are needed; remove those created here when no longer used.'),
      })
      .prefault({})
      .describe('The VLANs of the switches.'),
    traps: z
      .strictObject({
        listen: z
          .string()
          .regex(/^(?:\[[0-9A-Fa-f:.]+\]|[0-9.]+):[0-9]{1,5}$/, 'ADDRESS:PORT, such as 0.0.0.0:162 or [::]:9162')
          .describe('UDP address and port. Ports below 1024 need CAP_NET_BIND_SERVICE.'),
      })
      .optional()
      .describe('Where to hear SNMP notifications of switches that have `snmp`. Absent: nowhere.'),
    drift: z.enum(['repair', 'report']).default('repair').describe('What to do when somebody changed a port by hand.'),
    transition: z
      .enum(['seamless', 'bounce'])
      .default('seamless')
      .describe('bounce: shut the port around every change of VLANs, so that the host asks for a new lease.'),
    cablingGuard: z.enum(['warn', 'hold']).default('warn').describe('What to do when expectedNeighbor does not match.'),
    persist: z.boolean().default(true).describe('Save the start-up configuration after a successful batch.'),
    stateDir: path.default('/var/lib/portkeeper').describe('Folder of the store; private to the agent.'),
    runtimeDir: path.default('/run/portkeeper').describe('Folder of status.sock and control.sock.'),
    log: z
      .strictObject({
        level: z
          .enum(['error', 'warn', 'info', 'debug', 'trace'])
          .default('info')
          .describe('Least important lines to log.'),
      })
      .prefault({})
      .describe('Log on standard output, one JSON object a line.'),
  })
  .meta({ id: 'PortkeeperConfig', title: 'Portkeeper configuration' });

/** The configuration with all defaults filled in. Holds file names of secrets, never secrets. */
export type Config = z.infer<typeof configSchema>;
export type SwitchConfig = Config['switches'][string];
export type PublisherConfig = NonNullable<Config['publishers']>[string];
export type MqttConfig = Config['mqtt'];
