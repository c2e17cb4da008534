/** A logger for tests that await what the scheduler reports. */
import type { Logger } from '../../src/log'

type Fields = Readonly<Record<string, unknown>>

export type LogEvents = {
  readonly log: Logger
  /** The fields of all lines with this message so far. */
  of(message: string): readonly Fields[]
  /** Resolves with the fields of the next line with this message. */
  next(message: string): Promise<Fields>
}

export function createLogEvents(): LogEvents {
  const lines: { readonly message: string; readonly fields: Fields }[] = []
  const waiting: { readonly message: string; readonly resolve: (fields: Fields) => void }[] = []
  const write = (fields: Fields, message: string) => {
    lines.push({ message, fields })
    for (const one of waiting.filter((each) => each.message === message)) {
      waiting.splice(waiting.indexOf(one), 1)
      one.resolve(fields)
    }
  }
  const log: Logger = {
    ...{ trace: write, debug: write, info: write, warn: write, error: write, fatal: write },
    isEnabled: () => true,
    child: () => log,
  }
  return {
    log,
    of: (message) => lines.filter((line) => line.message === message).map(({ fields }) => fields),
    next(message) {
      const { promise, resolve } = Promise.withResolvers<Fields>()
      waiting.push({ message, resolve })
      return promise
    },
  }
}
