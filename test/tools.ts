/** External programs that check the output independently. A test whose program is missing is skipped. */
import { describe, it } from 'bun:test'
import { existsSync } from 'node:fs'
import { assets, cacheDirectory, folderOf } from '../scripts/assets/manifest'

/** Whether a program of this name is on the PATH or, for a path, whether it exists. */
export function hasTool(tool: string): boolean {
  return isFile(tool) ? existsSync(tool) : Bun.which(tool) !== null
}

/**
 * `describe` for tests that need all of `tools` (names of programs, paths of files). Without one of them the tests are
 * skipped with a line that names it. With SONANT_REQUIRE_TOOLS=1 they fail instead for want of a program; files cannot be
 * installed.
 */
export function describeWith(tools: string | readonly string[], name: string, tests: () => void): void {
  const missing = [tools].flat().filter((tool) => !hasTool(tool))
  const listed = missing.join(', ')
  if (missing.length === 0) {
    describe(name, tests)
  } else if (process.env['SONANT_REQUIRE_TOOLS'] === '1' && missing.some((tool) => !isFile(tool))) {
    describe(name, () => {
      it(`has ${listed}`, () => {
        throw new Error(`Not installed: ${listed}; SONANT_REQUIRE_TOOLS=1 says that it must be.`)
      })
    })
  } else {
    console.warn(`SKIPPED for want of ${listed}: ${name}`)
    describe.skip(`${name} (skipped; not installed: ${listed})`, tests)
  }
}

function isFile(tool: string): boolean {
  return tool.includes('/')
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
