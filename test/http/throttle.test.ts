/** The limits of passwords, right and wrong, by e-mail address and by client. */
import { expect, it } from 'bun:test'
import { limits } from '../../src/config'
import { createFailureCounter } from '../../src/http/rate-limits'

const request = () => new Request('http://x/')

function admits(throttle: { admit: () => void }): boolean {
  try {
    throttle.admit()
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'rate_limited' })
    expect((error as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(0)
    return false
  }
}

it('right passwords are limited too, because each takes work', () => {
  const { throttlePassword } = createFailureCounter()
  const attempt = (email: string, client: string) => admits(throttlePassword(request(), email, client))
  for (let i = 0; i < limits.passwordsPerMinute; i++) expect(attempt('a@example.org', `client ${i}`)).toBe(true)
  expect(attempt('a@example.org', 'another client')).toBe(false)
  expect(attempt('b@example.org', 'another client')).toBe(true)
  for (let i = 0; i < limits.passwordsPerMinute; i++) expect(attempt(`${i}@example.org`, 'office')).toBe(true)
  expect(attempt('c@example.org', 'office')).toBe(false)
})

it('wrong passwords are limited more strictly, and right ones do not count as wrong', () => {
  const { throttlePassword } = createFailureCounter()
  for (let i = 0; i < 20; i++) throttlePassword(request(), 'a@example.org', `client ${i}`).admit()
  for (let i = 0; i < limits.wrongPasswordsPerMinute; i++) {
    const throttle = throttlePassword(request(), 'a@example.org', `client ${i}`)
    expect(admits(throttle)).toBe(true)
    throttle.onWrong()
  }
  expect(admits(throttlePassword(request(), 'a@example.org', 'another client'))).toBe(false)
})
