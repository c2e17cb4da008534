/** External programs that check the output independently. A test whose program is missing is skipped. */
import { describe, it } from 'bun:test'
import { existsSync } from 'node:fs'
import { assets, cacheDirectory, folderOf } from '../scripts/assets/manifest'

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

/**
 * `describe` for tests that need the asset `name` of `voices/assets.json`; they get its folder in the cache. Without it the
 * tests are skipped with a line that names it, with SONANT_REQUIRE_TOOLS=1 too: a machine may have no source of it.
 */
export function describeWithAsset(name: string, title: string, tests: (folder: string) => void): void {
  const asset = assets[name]!
  const folder = folderOf(name, asset, cacheDirectory)
  if (existsSync(folder)) return describe(title, () => tests(folder))
  const missing = `the asset ${name} ${asset.version}`
  console.warn(`SKIPPED for want of ${missing} (bun scripts/assets.ts ${name} fetches it): ${title}`)
  describe.skip(`${title} (skipped; not in the cache: ${missing})`, () => tests(folder))
}
