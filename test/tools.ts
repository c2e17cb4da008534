/** External programs that check the output independently. A test whose program is missing is skipped. */
import { describe, it } from 'bun:test'
import { existsSync } from 'node:fs'

/** Whether a program of this name is on the PATH or, for a path, whether it exists. */
export function hasTool(tool: string): boolean {
  return tool.includes('/') ? existsSync(tool) : Bun.which(tool) !== null
}

/**
 * `describe` for tests that need all of `tools` (names of programs, paths of files). Without one of them the tests are
 * skipped with a line that names it. With SONANT_REQUIRE_TOOLS=1 they fail instead.
 */
export function describeWith(tools: string | readonly string[], name: string, tests: () => void): void {
  const missing = [tools]
    .flat()
    .filter((tool) => !hasTool(tool))
    .join(', ')
  if (!missing) {
    describe(name, tests)
  } else if (process.env['SONANT_REQUIRE_TOOLS'] === '1') {
    describe(name, () => {
      it(`has ${missing}`, () => {
        throw new Error(`Not installed: ${missing}; SONANT_REQUIRE_TOOLS=1 says that it must be.`)
      })
    })
  } else {
    console.warn(`SKIPPED for want of ${missing}: ${name}`)
    describe.skip(`${name} (skipped; not installed: ${missing})`, tests)
  }
}
