/** A data directory and its contents are readable only by the user who runs the server. */
import { afterEach, beforeEach, describe, expect, it } from 'bun:test'
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executable, runSonant, startIn, type Sonant } from './sonant'

const isPosix = process.platform !== 'win32'
if (!isPosix) console.warn('SKIPPED on Windows: rights of files')
const nobody = 65534
const canBeNobody = isPosix && process.getuid!() === 0 && Bun.which('setpriv') !== null
if (!canBeNobody) console.warn('SKIPPED other than as root with setpriv: what another user can do')

let directory: string
let data: string
let server: Sonant | undefined
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-privacy-'))
  data = join(directory, 'data')
})
afterEach(async () => {
  await server?.stop()
  server = undefined
  await rm(directory, { recursive: true })
})

async function start(options?: Parameters<typeof startIn>[1]): Promise<Sonant> {
  server = await startIn(directory, options)
  return server
}

const rightsOf = async (path: string) => (await lstat(path)).mode & 0o777

/** The paths under `path` with any permission for group or others. */
async function exposedIn(path: string): Promise<string[]> {
  const names = await readdir(path, { recursive: true })
  const rights = await Promise.all(names.map(async (name) => [name, await rightsOf(join(path, name))] as const))
  return rights.filter(([, mode]) => (mode & 0o077) !== 0).map(([name]) => name)
}

/** As left by an older version or a copy. */
async function loosen(path: string): Promise<void> {
  await chmod(path, 0o755)
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
}

describe.if(isPosix)('a data directory', () => {
  it('has no contents that others may open, under any umask', async () => {
    const sonant = await start({ through: ['sh', '-c', 'umask 000; exec "$@"', 'sh'] })
    await sonant.speak({ text: 'Hello.' })
    expect(runSonant(['account', 'create', '--name', 'Ada', '--data', data]).exitCode).toBe(0)
    expect(await rightsOf(data)).toBe(0o700)
    expect(await exposedIn(data)).toEqual([])
  })

  it('with permissions for others loses them at the start, with its folders, database and settings', async () => {
    const { apiKey } = await start()
    await server!.speak({ text: 'Hello.' })
    await server!.stop()
    await Bun.write(join(data, 'sonant.toml'), 'port = 0\n')
    await Bun.write(join(data, 'notes.txt'), 'mine')
    await loosen(data)
    const sonant = await start({ apiKey })
    expect(await rightsOf(data)).toBe(0o700)
    const files = ['sonant.db', 'lock.db', 'lock.pid', 'sonant.toml']
    expect(await Promise.all(files.map((name) => rightsOf(join(data, name))))).toEqual(files.map(() => 0o600))
    expect(await rightsOf(join(data, 'audio'))).toBe(0o700)
    // Files that the server did not create stay unchanged.
    expect(await rightsOf(join(data, 'notes.txt'))).toBe(0o644)
    expect(sonant.log()).toContain('removed the rights of other users')
    expect((await sonant.request('/api/v1/balance')).status).toBe(200)
  })

  it('does not change the target of a link in it, and warns', async () => {
    const elsewhere = join(directory, 'elsewhere')
    await mkdir(elsewhere)
    await chmod(elsewhere, 0o755)
    await mkdir(data)
    await symlink(elsewhere, join(data, 'audio'))
    const sonant = await start()
    expect(await rightsOf(elsewhere)).toBe(0o755)
    expect(sonant.log()).toContain('it is a link to a path that other users may open')
    expect((await sonant.speak({ text: 'Hello.' })).audio.length).toBeGreaterThan(0)
  })

  it('in a shared place stays open, unlike its files', async () => {
    await mkdir(data)
    await chmod(data, 0o1777)
    const sonant = await start()
    expect((await lstat(data)).mode & 0o7777).toBe(0o1777)
    expect(await exposedIn(data)).toEqual([])
    expect(sonant.log()).toContain('it is a home directory or shared with other users')
  })
})

describe.if(canBeNobody)('another user', () => {
  const as = (...command: string[]) => ['setpriv', `--reuid=${nobody}`, '--clear-groups', ...command]

  it('can neither read the database nor take the lock', async () => {
    await chmod(directory, 0o755)
    await start()
    await server!.stop()
    await loosen(data)
    await start()
    for (const name of ['sonant.db', 'lock.db'])
      expect(Bun.spawnSync(as('cat', join(data, name)), { stderr: 'ignore' }).exitCode).not.toBe(0)
  })

  it('who owns the directory keeps its permissions, with a warning in the log', async () => {
    await mkdir(data, { mode: 0o755 })
    await chown(data, nobody, nobody)
    const sonant = await start()
    expect(await rightsOf(data)).toBe(0o755)
    expect(sonant.log()).toContain(`it belongs to another user (uid ${nobody})`)
  })

  it('who starts a server there gets a one-line refusal', async () => {
    await chmod(directory, 0o755)
    await mkdir(data)
    await chmod(data, 0o755)
    const command = as(executable, 'serve', '--port', '0', '--data', data)
    const { exitCode, stderr } = Bun.spawnSync(command, { cwd: '/', env: { PATH: '/usr/bin:/bin' } })
    expect([exitCode, stderr.toString().trim().split('\n').at(-1)]).toEqual([
      2,
      expect.stringContaining(`${data} cannot be used: permission denied`),
    ])
  })
})
