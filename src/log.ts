/** Structured logs: one JSON line each, on stderr. Each room takes a child logger; request lines carry `requestId`. */
import pino from 'pino'

export type Logger = pino.Logger

export function createLogger(level: string): Logger {
  const stream = pino.destination({ dest: 2, sync: true })
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  )
}
