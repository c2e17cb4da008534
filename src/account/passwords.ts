/**
 * Passwords: argon2id (RFC 9106) with 19 MiB, as OWASP recommends. Bun computes a hash on another thread. One runs at a
 * time and a few wait, so that sign-ins can exhaust neither memory nor the cores.
 */
import { limits } from '../config'
import { AppError } from '../errors'
import type { Fields } from '../fields'
import { generateSecret } from './secrets'

const settings = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** The hash of a forgotten random password, with the same settings. An unknown e-mail address costs the same work. */
const unknownHash =
  '$argon2id$v=19$m=19456,t=2,p=1$cvZnOMhUVu6SfpgFKQdaCikaIo9GKUjEgQ9mBxIVjTI$Y5FK1g9chY027wpwtd+GDd45eqMcC0Xxfd4YSD+uoEM'

const controlCharacters = /\p{Cc}/u
const retryAfterSeconds = 2
const generatedDigits = 20

let last: Promise<unknown> = Promise.resolve()
let jobs = 0

/** Runs `work` after all earlier jobs. Throws `rate_limited` when too many wait. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (jobs > limits.passwordsWaitingMax)
    throw new AppError('rate_limited', `Too many sign-ins at once; try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    })
  jobs++
  const turn = last.then(work)
  last = turn.catch(() => undefined)
  try {
    return await turn
  } finally {
    jobs--
  }
}

/** Throws `rate_limited` when too many passwords wait. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => Bun.password.hash(password, settings))
}

export type Attempt = {
  /** Runs when the turn of the password comes, and may throw. */
  readonly admit: () => void
  /** Runs before the next turn. */
  readonly onWrong: () => void
  /** The field of the password; default `password`. */
  readonly param?: string
}

/**
 * Resolves when the password is right. `hash` undefined: there is no such person; takes as long as a wrong password.
 * Throws `wrong_password`, `rate_limited`, and what `admit` throws.
 */
export function checkPassword(
  hash: string | undefined,
  password: string,
  { admit, onWrong, param = 'password' }: Attempt,
): Promise<void> {
  return inTurn(async () => {
    admit()
    if ((await Bun.password.verify(password, hash ?? unknownHash)) && hash !== undefined) return
    onWrong()
    throw wrongPassword(param)
  })
}

export function wrongPassword(param: string): AppError {
  const what = param === 'password' ? 'The e-mail address or the password' : `${param}: the password`
  return new AppError('wrong_password', `${what} is wrong.`, { param })
}

/** Reads a password that a person chose. Throws `invalid_params`; the message never contains the value. */
export function readNewPassword(fields: Fields, name: string): string {
  return read(fields, name, limits.passwordCharactersMin)
}

/** Reads a password to check. Throws as `readNewPassword`. */
export function readPassword(fields: Fields, name: string): string {
  return read(fields, name, 1)
}

/** Accents are brought to one form, because keyboards differ. */
function read(fields: Fields, name: string, charactersMin: number): string {
  const value = fields[name]
  // A character has at least one byte, so a huge value is refused before any work on it.
  if (typeof value !== 'string' || value.length > limits.passwordBytesMax) throw refusePassword(name)
  const isAllowed =
    [...value].length >= charactersMin &&
    Buffer.byteLength(value) <= limits.passwordBytesMax &&
    value.isWellFormed() &&
    !controlCharacters.test(value)
  if (!isAllowed) throw refusePassword(name)
  return value.normalize('NFC')
}

function refusePassword(name: string): AppError {
  const { passwordCharactersMin: min, passwordBytesMax: max } = limits
  const message = `${name}: a password of at least ${min} characters and at most ${max} bytes, without control characters, is required.`
  return new AppError('invalid_params', message, { param: name })
}

/** A random password of more than 100 bits, to be shown once. */
export function generatePassword(): string {
  return generateSecret().slice(0, generatedDigits)
}
