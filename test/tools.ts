/** Programs that check our output independently of us. Only tests need them, so a test without its tool is skipped. */
import { describe, it } from 'bun:test'

/** Whether a program of this name is on the PATH. */
export function hasTool(name: string): boolean {
  return Bun.which(name) !== null
}

/**
 * `describe` for tests that need `tool`. Without it they are skipped with a line that says so, or, where
 * SONANT_REQUIRE_TOOLS=1, fail.
 */
export function describeWith(tool: string, name: string, tests: () => void): void {
  if (hasTool(tool)) {
    describe(name, tests)
  } else if (process.env['SONANT_REQUIRE_TOOLS'] === '1') {
    describe(name, () => {
      it(`has ${tool}`, () => {
        throw new Error(`${tool} is not installed, and SONANT_REQUIRE_TOOLS=1 says that it must be.`)
      })
    })
  } else {
    console.warn(`SKIPPED for want of ${tool}: ${name}`)
    describe.skip(`${name} (skipped: ${tool} is not installed)`, tests)
  }
}
