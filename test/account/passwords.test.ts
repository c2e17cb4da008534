/** Passwords: the work of a check, and its limits. */
import { afterEach, expect, it, mock, spyOn } from 'bun:test'
import { checkPassword, hashPassword, readNewPassword, readPassword } from '../../src/account/passwords'
import { limits } from '../../src/config'

afterEach(() => {
  mock.restore()
})

const open = { admit: () => {}, onWrong: () => {} }
const codeOf = (promise: Promise<unknown>) => promise.then(() => 'right').catch(({ code }) => code as string)
/** The settings in a hash, without salt and digest. */
const settingsOf = (hash: string) => hash.split('$').slice(1, 4).join(' ')

it('are hashed by argon2id away from the event loop', async () => {
  let turned = false
  const hashing = hashPassword('correct horse')
  setImmediate(() => (turned = true))
  const hash = await hashing
  expect(turned).toBe(true)
  expect(settingsOf(hash)).toBe('argon2id v=19 m=19456,t=2,p=1')
  expect(await codeOf(checkPassword(hash, 'correct horse', open))).toBe('right')
  expect(await codeOf(checkPassword(hash, 'correct horsf', open))).toBe('wrong_password')
})

it('of an unknown person cost the same check', async () => {
  const verify = spyOn(Bun.password, 'verify')
  const hash = await hashPassword('correct horse')
  for (const known of [hash, undefined])
    expect(await codeOf(checkPassword(known, 'wrong', open))).toBe('wrong_password')
  const [ofKnown, ofUnknown] = verify.mock.calls.map(([, used]) => settingsOf(String(used)))
  expect([ofKnown, ofUnknown]).toEqual([settingsOf(hash), settingsOf(hash)])
})

it('are checked one at a time, and beyond a few that wait they are refused at once', async () => {
  let running = 0
  let runningMax = 0
  let end = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  spyOn(Bun.password, 'verify').mockImplementation(async () => {
    runningMax = Math.max(runningMax, ++running)
    await ended
    running--
    return false
  })
  const checks = Array.from({ length: 100 }, () => codeOf(checkPassword(undefined, 'wrong', open)))
  const refused = await Promise.all(checks.slice(limits.passwordsWaitingMax + 1))
  expect(new Set(refused)).toEqual(new Set(['rate_limited']))
  end()
  expect(new Set(await Promise.all(checks.slice(0, limits.passwordsWaitingMax + 1)))).toEqual(
    new Set(['wrong_password']),
  )
  expect(runningMax).toBe(1)
})

it('that fail count before the next one is admitted, so a burst cannot pass the limit', async () => {
  spyOn(Bun.password, 'verify').mockImplementation(async () => false)
  const events: string[] = []
  const attempt = { admit: () => void events.push('admit'), onWrong: () => void events.push('wrong') }
  await Promise.all([1, 2].map(() => codeOf(checkPassword(undefined, 'wrong', attempt))))
  expect(events).toEqual(['admit', 'wrong', 'admit', 'wrong'])
})

it('of any length are refused before any work, and spaces count', () => {
  const read = (password: unknown) => readNewPassword({ password }, 'password')
  for (const wrong of [
    undefined,
    null,
    8,
    ['12345678'],
    '',
    '1234567',
    'x'.repeat(1025),
    'x'.repeat(1 << 24),
    '1234567\0',
    '1234567\x85',
    '1234567\ud800',
  ])
    expect(() => read(wrong)).toThrow(/^password: a password of at least 8 characters and at most 1024 bytes/)
  expect(read(' passwd ')).toBe(' passwd ')
  expect(read('e\u0301'.repeat(8))).toBe('é'.repeat(8))
  expect(readPassword({ password: 'x' }, 'password')).toBe('x')
})
