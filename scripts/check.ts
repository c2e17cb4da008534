/**
 * `bun run check`: everything that has to hold, in one command. Installs, checks format, types and tidiness, builds the
 * executable and runs every test against it.
 *
 * The measuring tools are optional: tests that need one are skipped, loudly and by name, where it is missing. With
 * `--install-tools`, or in CI as root on Debian, they are installed first, and a missing one is a failure.
 */
import { existsSync } from 'node:fs'
import { install, run } from './run'

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
await install()
await run([bun, 'fmt', '--check', '--no-script'])
await run([bun, 'check', '--no-script', '--no-pretty'])
await run([bun, 'scripts/build.ts'])
// Two files at a time: most of them wait for a server more than they compute. The slowest begin first.
const timings = 'test/timings.json'
await run([bun, 'test', '--parallel=2', '--timings', timings, '--timeout', '120000'], {
  env: withTools ? { SONANT_REQUIRE_TOOLS: '1' } : {},
})
