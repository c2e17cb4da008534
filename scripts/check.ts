/**
 * `bun run check`: everything that has to hold, in one command. Installs, checks format, types and tidiness, builds the
 * executable and runs every test against it. `--fast` is for the time between two edits: it checks format and types, and
 * runs the tests that need no executable and take at most three seconds.
 *
 * The measuring tools are optional: tests that need one are skipped, loudly and by name, where it is missing. With
 * `--install-tools`, or in CI as root on Debian, they are installed first, and a missing one is a failure.
 *
 * The real models are optional too. With `--real-models`, or in CI, they are fetched; those in the cache are verified.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { install, root, run } from './run'

const debianPackages = [
  'sox',
  'libsox-fmt-mp3',
  'ffmpeg',
  'lame',
  'mpg123',
  'pocketsphinx',
  'pocketsphinx-en-us',
  'sqlite3',
  'nginx',
  'caddy',
  'chromium',
]

const wanted = process.argv.includes('--install-tools')
const canInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version')
if (wanted && !canInstall) {
  console.error('--install-tools needs root on Debian')
  process.exit(2)
}
const withTools = wanted || (process.env.CI === 'true' && canInstall)
if (withTools) {
  await run(['apt-get', 'update', '-qq'])
  await run(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...debianPackages], {
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  })
}

const bun = process.execPath
const isFast = process.argv.includes('--fast')
const timings = 'test/timings.json'
/** By `test/timings.json`; a new file has no time yet and runs. */
const fastMs = 3_000

async function findFastTests(): Promise<string[]> {
  const { files } = (await Bun.file(join(root, timings)).json()) as { files: Record<string, number> }
  const all = await Array.fromAsync(new Bun.Glob('test/**/*.test.ts').scan(root))
  return all.filter((path) => !/^test\/(executable|console)\//.test(path) && !(files[path]! > fastMs))
}

/** The assets that only tests need and that are wanted or in the cache. */
function listRealModels(): string[] {
  const cache = join(root, '.cache/assets')
  const cached = existsSync(cache) ? readdirSync(cache) : []
  const areWanted = process.argv.includes('--real-models') || process.env.CI === 'true'
  return ['joe', 'kokoro-int8'].filter((name) => areWanted || cached.some((folder) => folder.startsWith(`${name}-`)))
}

await install()
const realModels = isFast ? [] : listRealModels()
if (realModels.length > 0) await run([bun, 'scripts/assets.ts', ...realModels])
await run([bun, 'scripts/console-types.ts'])
await run([bun, 'fmt', '--check', '--no-script'])
await run([bun, 'check', '--no-script', '--no-pretty'])
if (!isFast) await run([bun, 'scripts/build.ts'])
// The slowest files begin first. Four at a time keep two cores busy, because many of them wait for a server or a limit.
const tests = isFast ? (await findFastTests()).map((path) => `./${path}`) : []
await run([bun, 'test', '--parallel=4', '--timings', timings, '--timeout', '120000', ...tests], {
  env: withTools ? { SONANT_REQUIRE_TOOLS: '1' } : {},
})
