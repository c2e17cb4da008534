/** Packs at the command line: beside a running server, and without one. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hexgradPack } from '../speech/models/style-packs'
import { until } from '../until'
import { parseOutput, runSonant, startIn, type Sonant } from './sonant'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-cli-packs-'))
})
afterAll(async () => {
  await rm(directory, { recursive: true })
})

const voices = () => join(directory, 'data/voices')

async function drop(name: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [file, content] of Object.entries(files)) await Bun.write(join(voices(), name, file), content)
}

function run(...args: string[]) {
  return runSonant([...args, '--data', join(directory, 'data')], { cwd: directory })
}

function listPacks() {
  const { items } = parseOutput<{ items: { name: string; state: string }[] }>(run('voices', 'packs', '--json'))
  return Object.fromEntries(items.map(({ name, state }) => [name, state]))
}

describe('before the first start of a server', () => {
  it('say finds the voice of a new pack, and caches the result', async () => {
    await drop('kokoro', hexgradPack)
    const first = run('say', 'Good morning.', '--voice', 'kokoro-af-heart', '-o', 'a.wav')
    expect([first.exitCode, first.stderr]).toEqual([
      0,
      expect.stringMatching(/^a\.wav: [\d.]+ s, voice kokoro-af-heart\n$/),
    ])
    expect(run('voices').stdout).toContain('kokoro-af-heart')
  })

  it('an unknown voice is refused', () => {
    const { exitCode, stderr } = run('say', 'Hello.', '--voice', 'kokoro-nobody')
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('there is no voice "kokoro-nobody"')])
  })
})

describe('without a server', () => {
  beforeAll(async () => {
    await (await startIn(directory)).stop()
  })

  it('voices lists unusable packs below the voices, and rescan probes them', async () => {
    await drop('notes', { 'notes.txt': 'Buy milk.' })
    expect(run('voices').stdout).toEndWith('\n\nPacks that cannot be used:\nnotes: not tested yet\n')
    const { exitCode, stdout } = run('voices', 'rescan')
    expect([exitCode, stdout.split('\n')[2]]).toEqual([0, 'notes   refused  it has no model (.onnx)'])
    expect(run('voices').stdout).toEndWith('notes: it has no model (.onnx)\n')
    expect(listPacks()).toEqual({ kokoro: 'ready', notes: 'refused' })
  })
})

describe('a pack with control characters in its name', () => {
  it('is shown without them', async () => {
    const name = '\u001b[31mred\n'
    await drop(name, { 'notes.txt': 'x' })
    expect(run('voices').stdout).toContain('\n[31mred: not tested yet\n')
    expect(run('voices', 'packs').stdout).toContain('\n[31mred  checking')
    expect(listPacks()[name]).toBe('checking')
    expect(run('voices', 'remove', name).exitCode).toBe(0)
  })
})

describe('beside a server', () => {
  let server: Sonant
  beforeAll(async () => {
    server = await startIn(directory)
  })
  afterAll(async () => {
    await server.stop()
  })

  const listed = async () => {
    const answer = await fetch(`${server.baseUrl}/api/v1/voices`)
    const { voices } = (await answer.json()) as { voices: { id: string }[] }
    return voices.map(({ id }) => id)
  }

  it('a voice can be deactivated like any other', async () => {
    expect(await listed()).toContain('kokoro-af-heart')
    expect(run('voices', 'deactivate', 'kokoro-af-heart').exitCode).toBe(0)
    expect(await listed()).not.toContain('kokoro-af-heart')
    expect(run('voices', 'activate', 'kokoro-af-heart').exitCode).toBe(0)
    expect(await listed()).toContain('kokoro-af-heart')
  })

  it('rescan makes the server probe refused packs again', async () => {
    const tries = () => server.log().split('"pack":"notes"').length - 1
    const before = tries()
    expect(run('voices', 'rescan').exitCode).toBe(0)
    await until(() => tries() > before)
    expect(listPacks().notes).toBe('refused')
  })

  it('remove deletes a pack, and the server no longer lists its voices', async () => {
    expect(run('voices', 'remove', 'nothing')).toMatchObject({
      exitCode: 1,
      stderr: 'sonant: There is no pack "nothing".\n',
    })
    const { exitCode, stdout } = run('voices', 'remove', 'kokoro', '--json')
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { ok: true, deleted: 'kokoro' }])
    expect(existsSync(join(voices(), 'kokoro'))).toBe(false)
    await until(async () => !(await listed()).includes('kokoro-af-heart'))
    expect(run('audit-log', '--limit', '1').stdout).toContain('voices remove  kokoro')
    expect((await readdir(voices())).filter((name) => name.startsWith('.removed'))).toEqual([])
  })
})
