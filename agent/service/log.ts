import { pino } from 'pino';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

export interface Log {
  level: LogLevel;
  readonly write: (level: 'debug' | 'info' | 'warn' | 'error', fields: object, message: string) => void;
}

/** Syslog priorities (RFC 5424) by pino level number; journald reads them as a "<N>" prefix. */
const PRIORITY: Readonly<Record<number, number>> = { 10: 7, 20: 7, 30: 6, 40: 4, 50: 3, 60: 2 };

/**
 * One JSON line per record on `output`, synchronously, so that the last lines before an exit are there. With
 * `journal`, each line is prefixed by its priority, so that `journalctl -p warning` works. Callers pass no secrets.
 */
export function createLog(output: (line: string) => void, level: LogLevel, journal: boolean): Log {
  const stream = {
    lastLevel: 30,
    write(line: string): void {
      output(journal ? `<${PRIORITY[stream.lastLevel] ?? 6}>${line}` : line);
    },
    [Symbol.for('pino.metadata')]: true,
  };
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  return {
    get level() {
      return logger.level as LogLevel;
    },
    set level(next) {
      logger.level = next;
    },
    write: (at, fields, message) => logger[at](fields, message),
  };
}
