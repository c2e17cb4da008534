/**
 * Structured logs: one JSON line per event on stderr, written before the call returns. Each room takes a child logger;
 * lines about a request carry `requestId`. Sonant has its own logger because loading a package takes an eighth of the
 * start time.
 */
import { writeSync } from 'node:fs'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

type Fields = Readonly<Record<string, unknown>>
type Write = (fields: Fields, message: string) => void

export type Logger = Readonly<Record<Exclude<LogLevel, 'silent'>, Write>> & {
  /** Whether lines of that level are written. Ask before making an expensive line. */
  isEnabled(level: LogLevel): boolean
  /** Returns a logger that adds `fields` to its lines. */
  child(fields: Fields): Logger
}

/** Creates a logger that drops lines below `level`. */
export function createLogger(level: LogLevel, bound: Fields = {}): Logger {
  const isEnabled = (name: LogLevel) => logLevels.indexOf(name) >= logLevels.indexOf(level)
  const writer = (name: LogLevel): Write => {
    if (!isEnabled(name)) return () => {}
    return (fields, message) => {
      const time = new Date().toISOString()
      writeLine(JSON.stringify({ level: name, time, ...bound, ...fields, msg: message }, describeError))
    }
  }
  return {
    trace: writer('trace'),
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    fatal: writer('fatal'),
    isEnabled,
    child: (fields) => createLogger(level, { ...bound, ...fields }),
  }
}

function describeError(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  return { name: value.name, message: value.message, stack: value.stack, cause: value.cause }
}

function writeLine(line: string): void {
  try {
    writeSync(2, `${line.replace(invisible, escape)}\n`)
  } catch {
    // A closed stderr must not stop the service.
  }
}

/** Characters that JSON does not escape but terminals interpret: C1 controls, line separators, changes of direction. */
const invisible = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
