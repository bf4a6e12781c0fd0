import type { SessionState } from './command-context.ts';
import { macPlus } from './neighbor.ts';
import { renderConfig, renderInterface } from './running-config.ts';
import { duration, fullTime } from './show-text.ts';
import type { SwitchModel } from './switch-model.ts';

/** `show version`. */
export function showVersion(model: SwitchModel): string[] {
  const upper = model.chassisMac.toUpperCase();
  return [
    `${model.vendorLine}, Version ${model.version}, RELEASE SOFTWARE (fc1)`,
    'Compiled Mon 01-Jan-24 00:00 by portkeeper',
    '',
    'ROM: Bootstrap program is simulated boot loader',
    '',
    `${model.hostname} uptime is ${duration(model.uptimeMs)}`,
    `System returned to ROM by ${model.bootReason}`,
    `System restarted at ${fullTime(model.bootedAt, false)}`,
    'System image file is "flash:/sim-universal.bin"',
    `Last reload reason: ${model.bootReason}`,
    '',
    `cisco ${model.model} (simulated) processor (revision A0) with 524288K bytes of memory.`,
    `Processor board ID ${model.serial}`,
    'Last reset from power-on',
    '1 Virtual Ethernet interface',
    `${model.portCount} ${model.speedMbps >= 10_000 ? 'Ten ' : ''}Gigabit Ethernet interfaces`,
    '512K bytes of flash-simulated non-volatile configuration memory.',
    `Base ethernet MAC Address       : ${upper}`,
    `Model number                    : ${model.model}`,
    `System serial number            : ${model.serial}`,
    '',
    'Configuration register is 0xF',
    '',
  ];
}

function sized(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

/** `show running-config`. */
export function showRunning(model: SwitchModel): string[] {
  const lines = renderConfig(model.config, model);
  const header = ['Building configuration...', '', `Current configuration : ${sized(lines)} bytes`, '!'];
  const change = model.lastChange;
  if (change) header.push(`! Last configuration change at ${fullTime(change.at, false)} by ${change.by}`);
  header.push(`! NVRAM config last updated at ${fullTime(model.startup.savedAt, false)}`, '!');
  return [...header, ...lines, ''];
}

/** `show running-config interface NAME`. */
export function showRunningInterface(model: SwitchModel, name: string): string[] {
  const lines = [...renderInterface(model.config, name, model), 'end'];
  return ['Building configuration...', '', `Current configuration : ${sized(lines)} bytes`, '!', ...lines, ''];
}

/** `show startup-config`. */
export function showStartup(model: SwitchModel): string[] {
  const { text, savedAt } = model.startup;
  const header = [`Using ${sized(text)} out of 524288 bytes`, '!'];
  return [...header, `! NVRAM config last updated at ${fullTime(savedAt, false)}`, '!', ...text, ''];
}

/** `show users`. */
export function showUsers(sessions: readonly SessionState[], own: SessionState): string[] {
  const rows = sessions.map((s) => {
    const mark = s === own ? '*' : ' ';
    return `${mark}${String(s.line + 1).padStart(3)} vty ${s.line}     ${s.user.padEnd(10)} idle                 00:00:00 ${s.from}`;
  });
  return ['    Line       User       Host(s)              Idle       Location', ...rows, ''];
}

/** MAC of a port, colon form. */
export function portMac(model: SwitchModel, index: number): string {
  return macPlus(model.chassisMac, index + 1);
}
