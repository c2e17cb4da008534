/** `sonant voices search` and `sonant voices pull`, as processes of their own, against a hub of the test's own. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/database'
import { lockDirectory } from '../../src/db/lock'
import { addPiperVoices, commit, sha256, startHub, text, type HubServer } from '../packs/hub/hub-server'

setDefaultTimeout(30_000)

const lessac = 'en_US-lessac-medium'
const graph = `en/en_US/lessac/medium/${lessac}.onnx`
const main = join(import.meta.dir, '../../src/main.ts')

let hub: HubServer
let data: string

beforeAll(() => {
  hub = startHub()
  addPiperVoices(
    hub,
    [{ key: lessac }, { key: 'zh_CN-huayan-medium', names: ['简体中文', 'Chinese', 'China'] }],
    1 << 20,
  )
})
afterAll(() => hub.stop())
beforeEach(async () => {
  data = join(await mkdtemp(join(tmpdir(), 'sonant-hub-')), 'data')
})
afterEach(async () => {
  hub.faults.clear()
  await rm(join(data, '..'), { recursive: true })
})

function start(...args: string[]) {
  const env = { ...process.env, SONANT_HUB: hub.url, SONANT_DATA: data }
  return Bun.spawn([process.execPath, main, ...args], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
}

async function run(...args: string[]) {
  const child = start(...args)
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, err, code }
}

describe('voices search', () => {
  it('prints a table of the packs on the hub', async () => {
    const { out, code } = await run('voices', 'search', 'medium')
    expect(code).toBe(0)
    const [head, ...rows] = out.trimEnd().split('\n')
    expect(head).toMatch(/^name +language +quality +speakers +size +installed +description$/)
    expect(rows).toHaveLength(2)
    expect(rows[1]).toMatch(
      /^piper\/en_US-lessac-medium +en-US +medium +1 +1\.0 MB +no +English, United States; for research only$/,
    )
  })

  it('prints JSON for machines', async () => {
    await run('voices', 'pull', `piper/${lessac}`)
    const { out } = await run('voices', 'search', 'lessac', '--json')
    const { items } = JSON.parse(out) as { items: Record<string, unknown>[] }
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({ name: `piper/${lessac}`, languages: ['en-US'], speakers: 1, installed: true })
  })

  it('reports that no pack matches', async () => {
    expect(await run('voices', 'search', 'klingon')).toEqual({
      out: '',
      err: 'sonant: The hub has nothing that fits "klingon".\n',
      code: 1,
    })
  })
})

describe('voices pull', () => {
  it('shows licence, card, progress and the next step in plain lines', async () => {
    const { out, err, code } = await run('voices', 'pull', `piper/${lessac}`)
    expect(code).toBe(0)
    expect(err).toContain(`from ${hub.url}/rhasspy/piper-voices, commit ${commit.slice(0, 12)}\n`)
    expect(err).toContain('Licence: CC BY 4.0\nModel card:\n  # Model card for lessac (medium)\n')
    expect(err).toMatch(/\n(\d0 %, [\d.]+ [kM]B of 1\.0 MB\n)+100 %, 1\.0 MB of 1\.0 MB\n$/)
    expect(err).not.toMatch(/[\r\u001b]/)
    expect(out).toContain(`piper/${lessac} is installed: ${join(data, 'voices', `piper-${lessac}`)}\n`)
    expect(out).toContain('sonant say "Hello" --voice ID')
    expect((await stat(data)).mode & 0o777).toBe(0o700)
  })

  it('reports an installed pack and exits with 0', async () => {
    await run('voices', 'pull', `piper/${lessac}`)
    const { out, code } = await run('voices', 'pull', `piper/${lessac}`)
    expect(code).toBe(0)
    expect(out).toStartWith(`piper/${lessac} is installed already`)
  })

  it('prints one JSON object for machines', async () => {
    const { out, code } = await run('voices', 'pull', `piper/${lessac}`, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      name: `piper/${lessac}`,
      family: 'piper',
      directory: join(data, 'voices', `piper-${lessac}`),
      repository: 'rhasspy/piper-voices',
      commit,
      license: 'CC BY 4.0',
      was_installed: false,
    })
  })

  it('removes control characters from a model card', async () => {
    const card = hub.repositories['rhasspy/piper-voices']!['en/en_US/lessac/medium/MODEL_CARD']!
    const evil = { bytes: text('\u001b[2J\u202eevil\n* License: \u001b[31mfree\n'), large: false }
    hub.repositories['rhasspy/piper-voices']!['en/en_US/lessac/medium/MODEL_CARD'] = evil
    const index = hub.repositories['rhasspy/piper-voices']!['voices.json']!
    hub.repositories['rhasspy/piper-voices']!['voices.json'] = {
      bytes: text(Buffer.from(index.bytes).toString().replaceAll('md5_digest', 'none')),
      large: false,
    }
    const { err, code } = await run('voices', 'pull', `piper/${lessac}`)
    Object.assign(hub.repositories['rhasspy/piper-voices']!, {
      'en/en_US/lessac/medium/MODEL_CARD': card,
      'voices.json': index,
    })
    expect(code).toBe(0)
    expect(err).toContain('evil')
    expect(err).not.toMatch(/[\u001b\u202e]/)
  })

  it('notifies a running server, and logs the operation in an existing database', async () => {
    await Bun.write(join(data, 'x'), '')
    openDatabase(join(data, 'sonant.db')).close()
    const lock = lockDirectory(data)
    const { out } = await run('voices', 'pull', `piper/${lessac}`)
    lock.release()
    expect(out).toContain('The running server finds it by itself')
    const log = JSON.parse((await run('audit-log', '--json')).out) as { items: Record<string, unknown>[] }
    expect(log.items[0]).toMatchObject({ act: 'voices pull', subject: `piper/${lessac}`, before: null })
    expect(log.items[0]!.after).toMatchObject({ repository: 'rhasspy/piper-voices', commit, license: 'CC BY 4.0' })
  })

  it('resumes after Ctrl-C', async () => {
    const { bytes } = hub.repositories['rhasspy/piper-voices']![graph]!
    const half = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(bytes.slice(0, 600_000))
          },
        }),
        { headers: { etag: `"${sha256(bytes).slice(0, 32)}"` } },
      )
    hub.faults.set(sha256(bytes), half)
    const child = start('voices', 'pull', `piper/${lessac}`)
    let err = ''
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      if (!err.includes('50 %') && (err + chunk).includes('50 %')) child.kill('SIGINT')
      err += chunk
    }
    expect(await child.exited).toBe(130)
    expect(err).toEndWith('Interrupted. The same command goes on from here.\n')
    expect(await readdir(join(data, 'voices'))).toEqual([`.piper-${lessac}.part`])
    hub.faults.clear()
    hub.log.length = 0
    expect((await run('voices', 'pull', `piper/${lessac}`)).code).toBe(0)
    expect(hub.log.filter((line) => line.includes('bytes=600000-'))).not.toEqual([])
    expect(await readdir(join(data, 'voices'))).toEqual([`piper-${lessac}`])
  })

  it('reports a failure in one line', async () => {
    const usage = await run('voices', 'pull', 'gpt')
    expect(usage).toMatchObject({ out: '', code: 2 })
    expect(usage.err).toStartWith('sonant: pull: found "gpt"; piper/KEY, kokoro')
    expect((await run('voices', 'pull')).code).toBe(2)
    const offline = await run('voices', 'pull', 'kokoro', '--hub', 'http://127.0.0.1:1')
    expect(offline.code).toBe(1)
    expect(offline.err).toMatch(/^sonant: The hub: http:\/\/127\.0\.0\.1:1 cannot be reached .*\n$/)
    expect((await run('voices', 'pull', 'kokoro', '--hub', 'ftp://x')).code).toBe(2)
    expect(await readdir(join(data, '..'))).toEqual([])
  })
})
