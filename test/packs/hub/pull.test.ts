/** Installing packs by name from a local hub. */
import { afterEach, beforeEach, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockDirectory } from '../../../src/db/lock'
import { AppError } from '../../../src/errors'
import { openHub, type HubTiming } from '../../../src/packs/hub/client'
import { pullPack, type PullOptions, type PullProgress } from '../../../src/packs/hub/pull'
import { addPiperVoices, commit, noise, sha256, startCutting, startHub, text, type HubServer } from './hub-server'

// Processes start slowly on a busy machine.
setDefaultTimeout(30_000)

const lessac = 'en_US-lessac-medium'
const graph = `en/en_US/lessac/medium/${lessac}.onnx`
const piper = 'rhasspy/piper-voices'
const timing: Partial<HubTiming> = { idleMs: 5_000, backoffMs: 1, retryAfterMaxMs: 3_000 }

let hub: HubServer
let directory: string
let packs: string

beforeEach(async () => {
  hub = startHub()
  addPiperVoices(hub, [{ key: lessac }, { key: 'pt_PT-tugão-medium', names: ['Português', 'Portuguese', 'Portugal'] }])
  directory = await mkdtemp(join(tmpdir(), 'sonant-hub-'))
  packs = join(directory, 'voices')
})
afterEach(async () => {
  await hub.stop()
  await rm(directory, { recursive: true })
})

type Changes = Partial<PullOptions> & { timing?: Partial<HubTiming>; address?: string }

function pull(name: string, { timing: changes, address = hub.url, ...options }: Changes = {}) {
  const opened = openHub({ address, timing: { ...timing, ...changes } })
  return pullPack(name, { hub: opened, directory: packs, minFreeBytes: 0, lock: lockDirectory, ...options })
}

async function problemOf(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) throw new Error(`an AppError was expected, not ${String(error)}`)
  return { code: error.code, message: error.message }
}

const bytesOf = async (...path: string[]) => new Uint8Array(await Bun.file(join(packs, ...path)).arrayBuffer())
const served = (path: string) => hub.repositories[piper]![path]!.bytes
const partFolder = () => join(packs, `.piper-${lessac}.part`)
const partFiles = async () => (existsSync(join(partFolder(), 'pack')) ? readdir(join(partFolder(), 'pack')) : [])
const rangesAsked = () => hub.log.filter((line) => line.includes('/lfs/')).map((line) => line.split(' ')[1] ?? '')

describe('pulling a Piper voice', () => {
  it('puts its graph, config and model card into one folder and records their source', async () => {
    const result = await pull(`piper/${lessac}`)
    expect(result.wasThere).toBe(false)
    expect(result.directory).toBe(join(packs, `piper-${lessac}`))
    expect(await readdir(packs)).toEqual([`piper-${lessac}`])
    const names = [`${lessac}.onnx`, `${lessac}.onnx.json`, 'MODEL_CARD']
    expect((await readdir(result.directory)).sort()).toEqual([...names, 'source.json'].sort())
    for (const name of names)
      expect(sha256(await bytesOf(`piper-${lessac}`, name))).toBe(sha256(served(`en/en_US/lessac/medium/${name}`)))
    const source = (await Bun.file(join(result.directory, 'source.json')).json()) as Record<string, unknown>
    expect(source).toMatchObject({
      name: `piper/${lessac}`,
      hub: hub.url,
      repository: piper,
      commit,
      license: 'CC BY 4.0',
    })
    expect(source.files).toContainEqual({
      file: `${lessac}.onnx`,
      path: graph,
      size_bytes: 3 << 20,
      sha256: sha256(served(graph)),
    })
  })

  it('reports the licence and the model card before the first file, then progress', async () => {
    const seen: string[] = []
    const progress: PullProgress[] = []
    await pull(`piper/${lessac}`, {
      onPlan: ({ license, card, sizeBytes }) => seen.push(license!, card!, String(sizeBytes), String(progress.length)),
      onProgress: (now) => progress.push(now),
    })
    expect(seen[0]).toBe('CC BY 4.0')
    expect(seen[1]).toContain('# Model card for lessac (medium)')
    expect(seen[3]).toBe('0')
    const sizeBytes = Number(seen[2])
    expect(progress.at(-1)).toEqual({ receivedBytes: sizeBytes, sizeBytes })
    const received = progress.map(({ receivedBytes }) => receivedBytes)
    expect(received).toEqual(received.toSorted((a, b) => a - b))
  })

  it('accepts names in any script and normalization, and former names', async () => {
    expect((await pull('piper/pt_PT-tuga\u0303o-medium')).plan.name).toBe('piper/pt_PT-tugão-medium')
    expect((await pull('piper/en-us-lessac-old')).plan.name).toBe(`piper/${lessac}`)
  })

  it('reports an installed pack and downloads nothing', async () => {
    await pull(`piper/${lessac}`)
    hub.log.length = 0
    expect((await pull(`piper/${lessac}`)).wasThere).toBe(true)
    expect(hub.log.filter((line) => line.includes('/lfs/'))).toEqual([])
    expect(await readdir(packs)).toEqual([`piper-${lessac}`])
  })

  it('changes nothing when another pack has the folder’s name', async () => {
    await pull(`piper/${lessac}`)
    await Bun.write(join(packs, `piper-${lessac}`, 'MODEL_CARD'), 'mine')
    const { code, message } = await problemOf(pull(`piper/${lessac}`))
    expect(code).toBe('conflict')
    expect(message).toContain('MODEL_CARD')
    expect(await Bun.file(join(packs, `piper-${lessac}`, 'MODEL_CARD')).text()).toBe('mine')
    expect(await readdir(packs)).toEqual([`piper-${lessac}`])
  })

  it('locks the folder for one pull at a time', async () => {
    await mkdir(partFolder(), { recursive: true })
    const lock = lockDirectory(partFolder())
    expect(pull(`piper/${lessac}`)).rejects.toThrow(/is in use by process/)
    await expect(pull(`piper/${lessac}`)).rejects.toThrow(/is in use by process/)
    lock.release()
    expect((await pull(`piper/${lessac}`)).wasThere).toBe(false)
  })
})

describe('pulling other packs', () => {
  it('downloads one graph of Kokoro, its vocabulary and every style, in their folders', async () => {
    hub.licenses['onnx-community/Kokoro-82M-v1.0-ONNX'] = 'apache-2.0'
    hub.repositories['onnx-community/Kokoro-82M-v1.0-ONNX'] = {
      'README.md': { bytes: text('# Kokoro'), large: false },
      'config.json': { bytes: text('{}'), large: false },
      'tokenizer.json': { bytes: text('{"model":{}}'), large: false },
      'onnx/model.onnx': { bytes: noise(5000, 1), large: true },
      'onnx/model_quantized.onnx': { bytes: noise(4000, 2), large: true },
      'voices/af_heart.bin': { bytes: noise(3000, 3), large: true },
      'voices/zf_xiaobei.bin': { bytes: noise(3000, 4), large: true },
      'voices/deeper/not.bin': { bytes: noise(3000, 5), large: true },
    }
    const { plan, directory: pack } = await pull('kokoro')
    expect(plan).toMatchObject({ family: 'kokoro', license: 'apache-2.0', card: '# Kokoro' })
    const files = (await readdir(pack, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    expect(files.map(({ parentPath, name }) => join(parentPath, name).slice(pack.length + 1)).sort()).toEqual([
      'README.md',
      'config.json',
      'onnx/model_quantized.onnx',
      'source.json',
      'tokenizer.json',
      'voices/af_heart.bin',
      'voices/zf_xiaobei.bin',
    ])
    const fp32 = await pull('kokoro-fp32')
    expect(await readdir(join(fp32.directory, 'onnx'))).toEqual(['model.onnx'])
  })

  it('downloads KittenTTS and the tone converter', async () => {
    hub.repositories['KittenML/kitten-tts-nano-0.8-fp32'] = {
      'config.json': { bytes: text('{"model_file":"kitten_tts_nano_v0_8.onnx"}'), large: false },
      'kitten_tts_nano_v0_8.onnx': { bytes: noise(4000, 2), large: true },
      'voices.npz': { bytes: noise(3000, 3), large: true },
    }
    hub.repositories['seasonstudio/openvoice_tone_clone_onnx'] = {
      'configuration.json': { bytes: text('{"data":{}}'), large: false },
      'tone_clone_model.onnx': { bytes: noise(4000, 4), large: true },
      'tone_color_extract_model.onnx': { bytes: noise(3000, 5), large: true },
    }
    expect((await pull('kitten')).plan).toMatchObject({ family: 'kitten', card: null })
    const converter = await pull('openvoice-v2')
    expect(converter.plan.family).toBe('converter')
    expect((await readdir(converter.directory)).length).toBe(4)
  })

  it('names the file that a repository lacks', async () => {
    hub.repositories['seasonstudio/openvoice_tone_clone_onnx'] = {
      'configuration.json': { bytes: text('{}'), large: false },
    }
    const { code, message } = await problemOf(pull('openvoice-v2'))
    expect(code).toBe('url_fetch_failed')
    expect(message).toContain('tone_clone_model.onnx')
  })

  it('refuses unknown names', async () => {
    for (const name of ['gpt', 'piper/', 'piper/../x', 'piper/a/b', '../kokoro', '', 'piper/.hidden'])
      expect((await problemOf(pull(name))).code).toBe('invalid_params')
    expect((await problemOf(pull('piper/en_US-nobody-low'))).code).toBe('not_found')
    expect(existsSync(packs)).toBe(false)
  })
})

/** Pulls lessac in a separate process. */
async function startPull() {
  const from = (path: string) => JSON.stringify(join(import.meta.dir, '../../../src', path))
  const program = `
    import { lockDirectory } from ${from('db/lock')}
    import { openHub } from ${from('packs/hub/client')}
    import { pullPack } from ${from('packs/hub/pull')}
    const hub = openHub({ address: ${JSON.stringify(hub.url)}, timing: { backoffMs: 1 } })
    const directory = ${JSON.stringify(packs)}
    await pullPack('piper/${lessac}', { hub, directory, minFreeBytes: 0, lock: lockDirectory })`
  await Bun.write(join(directory, 'pull.ts'), program)
  return Bun.spawn([process.execPath, join(directory, 'pull.ts')], { stderr: 'inherit' })
}

describe('a connection that breaks off', () => {
  async function cutAt(count: number) {
    const cutting = await startCutting(served(graph), count)
    hub.faults.set(`.onnx`, (_request, times) => (times === 1 ? Response.redirect(cutting.url) : undefined))
    return cutting
  }

  it('resumes at the same byte, with the ETag of the first part', async () => {
    const cutting = await cutAt(1 << 20)
    await pull(`piper/${lessac}`)
    cutting.stop()
    const etag = `"${sha256(served(graph)).slice(0, 32)}"`
    expect(hub.log.at(-1)).toEndWith(` bytes=${1 << 20}- ${etag}`)
    expect(rangesAsked()).toEqual([`bytes=${1 << 20}-`])
    expect(sha256(await bytesOf(`piper-${lessac}`, `${lessac}.onnx`))).toBe(sha256(served(graph)))
  })

  it('restarts with a server without range support', async () => {
    hub.ranges = false
    const cutting = await cutAt(1 << 20)
    const received: number[] = []
    await pull(`piper/${lessac}`, { onProgress: ({ receivedBytes }) => received.push(receivedBytes) })
    cutting.stop()
    expect(rangesAsked()).toEqual([`bytes=${1 << 20}-`])
    expect(sha256(await bytesOf(`piper-${lessac}`, `${lessac}.onnx`))).toBe(sha256(served(graph)))
  })

  it('fails after five retries without progress and keeps the received bytes', async () => {
    const cutting = await startCutting(served(graph), 1000)
    hub.faults.set('.onnx', () => Response.redirect(cutting.url))
    const { code, message } = await problemOf(pull(`piper/${lessac}`))
    cutting.stop()
    expect(code).toBe('url_fetch_failed')
    expect(message).toContain('6 times in a row')
    expect(existsSync(join(packs, `piper-${lessac}`))).toBe(false)
    expect((await partFiles()).filter((name) => name.endsWith('.part'))).toHaveLength(1)
    hub.faults.clear()
    hub.log.length = 0
    await pull(`piper/${lessac}`)
    expect(rangesAsked()).toEqual(['bytes=1000-'])
    expect(sha256(await bytesOf(`piper-${lessac}`, `${lessac}.onnx`))).toBe(sha256(served(graph)))
    expect(await readdir(packs)).toEqual([`piper-${lessac}`])
  })

  it('times out on a silent server', async () => {
    hub.faults.set('.onnx', () => new Promise<Response>(() => {}))
    const { message } = await problemOf(pull(`piper/${lessac}`, { timing: { idleMs: 60 } }))
    expect(message).toContain('sent nothing for 60 ms')
  })

  it('lets a slow server take its time', async () => {
    const bytes = served('en/en_US/lessac/medium/MODEL_CARD')
    const slow = () =>
      new Response(
        new ReadableStream({
          async start(controller) {
            for (let at = 0; at < bytes.length; at += 10) {
              controller.enqueue(bytes.slice(at, at + 10))
              await Bun.sleep(30)
            }
            controller.close()
          },
        }),
      )
    hub.faults.set('MODEL_CARD', slow)
    await pull(`piper/${lessac}`, { timing: { idleMs: 250 } })
    expect(await bytesOf(`piper-${lessac}`, 'MODEL_CARD')).toEqual(bytes)
  })

  it('stops at once on abort and keeps the received bytes', async () => {
    const stop = new AbortController()
    const onProgress = ({ receivedBytes }: PullProgress) => receivedBytes > 500_000 && stop.abort(new Error('enough'))
    await expect(pull(`piper/${lessac}`, { signal: stop.signal, onProgress })).rejects.toThrow('enough')
    expect(await readdir(packs)).toEqual([`.piper-${lessac}.part`])
    await pull(`piper/${lessac}`)
    expect(await readdir(packs)).toEqual([`piper-${lessac}`])
  })

  it('resumes after its process was killed', async () => {
    const cutting = await startCutting(served(graph), 2 << 20)
    let isHung = false
    const hang = () => {
      isHung = true
      return new Promise<Response>(() => {})
    }
    hub.faults.set('.onnx', (_request, times) => (times === 1 ? Response.redirect(cutting.url) : undefined))
    hub.faults.set(sha256(served(graph)), hang)
    const child = await startPull()
    while (!isHung && child.exitCode === null) await Bun.sleep(5)
    child.kill('SIGKILL')
    await child.exited
    cutting.stop()
    expect(await readdir(packs)).toEqual([`.piper-${lessac}.part`])
    hub.faults.clear()
    hub.log.length = 0
    await pull(`piper/${lessac}`)
    expect(rangesAsked()).toEqual([`bytes=${2 << 20}-`])
    expect(sha256(await bytesOf(`piper-${lessac}`, `${lessac}.onnx`))).toBe(sha256(served(graph)))
  })

  it('leaves nothing, a part or a complete pack when its process is killed at any time', async () => {
    const slowly = async () => {
      await Bun.sleep(10)
      return undefined
    }
    for (const name of Object.keys(hub.repositories[piper]!)) hub.faults.set(name, slowly)
    hub.faults.set(sha256(served(graph)), slowly)
    const seen = new Set<string>()
    for (let afterMs = 0; !seen.has('whole'); afterMs += 12) {
      const child = await startPull()
      await Promise.race([Bun.sleep(afterMs), child.exited])
      child.kill('SIGKILL')
      await child.exited
      const names = existsSync(packs) ? await readdir(packs) : []
      seen.add(names.includes(`piper-${lessac}`) ? 'whole' : (await partFiles()).length > 0 ? 'part' : 'nothing')
      if (!names.includes(`piper-${lessac}`)) continue
      expect((await readdir(join(packs, `piper-${lessac}`))).sort()).toEqual(
        [`${lessac}.onnx`, `${lessac}.onnx.json`, 'MODEL_CARD', 'source.json'].sort(),
      )
      expect((await pull(`piper/${lessac}`)).wasThere).toBe(true)
    }
    expect(seen).toContain('part')
    expect(await readdir(packs)).toEqual([`piper-${lessac}`])
  })
})

describe('wrong bytes', () => {
  const other = () => new Response(noise(3 << 20, 77))

  it('are downloaded once more', async () => {
    hub.faults.set('.onnx', (_request, times) => (times === 1 ? other() : undefined))
    await pull(`piper/${lessac}`)
    expect(sha256(await bytesOf(`piper-${lessac}`, `${lessac}.onnx`))).toBe(sha256(served(graph)))
  })

  it('are removed and reported when the hash is wrong twice', async () => {
    hub.faults.set('.onnx', other)
    const { code, message } = await problemOf(pull(`piper/${lessac}`))
    expect(code).toBe('url_fetch_failed')
    expect(message).toContain(graph)
    expect(message).toContain(`found ${sha256(noise(3 << 20, 77))}`)
    expect(message).toContain(`expected ${sha256(served(graph))}`)
    expect((await partFiles()).filter((name) => name.includes('.onnx.') && !name.endsWith('.json'))).toEqual([])
    expect(hub.log.filter((line) => line.includes('resolve') && line.endsWith('.onnx'))).toHaveLength(2)
  })

  it('are detected by the git blob id without a SHA-256', async () => {
    const config = `${graph}.json`
    hub.faults.set('.onnx.json', () => new Response(served(config).map((byte, i) => (i === 3 ? byte ^ 1 : byte))))
    expect((await problemOf(pull(`piper/${lessac}`))).message).toContain('git blob: found')
  })

  it('are detected by the MD5 of the index only without another digest', async () => {
    const index = JSON.parse(Buffer.from(served('voices.json')).toString()) as Record<string, any>
    index[lessac].files[graph].md5_digest = '0'.repeat(32)
    hub.repositories[piper]!['voices.json'] = { bytes: text(JSON.stringify(index)), large: false }
    const warnings: string[] = []
    await pull(`piper/${lessac}`, { onWarning: (message) => warnings.push(message) })
    expect(warnings).toEqual([expect.stringContaining(`${graph} matches the repository, but not the MD5`)])
    await rm(packs, { recursive: true })
    hub.faults.set('/lessac/medium', () => {
      const files = Object.entries(hub.repositories[piper]!).filter(([path]) => path.startsWith('en/'))
      return Response.json(files.map(([path, { bytes }]) => ({ type: 'file', path, size: bytes.length })))
    })
    expect((await problemOf(pull(`piper/${lessac}`))).message).toContain('MD5: found')
  })

  it('are refused when there are more, or fewer announced, than listed', async () => {
    const endless = () => {
      let sent = 0
      return new Response(
        new ReadableStream({
          async pull(controller) {
            sent++
            controller.enqueue(noise(1 << 20, sent))
            await Bun.sleep(1)
          },
        }),
      )
    }
    hub.faults.set('.onnx', endless)
    expect((await problemOf(pull(`piper/${lessac}`))).message).toContain('more than the expected 3145728 bytes')
    hub.faults.set('.onnx', () => new Response(noise(1000, 1)))
    expect((await problemOf(pull(`piper/${lessac}`))).message).toContain('found 1000 bytes, expected 3145728')
  })

  it('of another revision’s partial file are not reused', async () => {
    const stem = join(partFolder(), 'pack', `${lessac}.onnx.${sha256(served(graph)).slice(0, 16)}`)
    await Bun.write(`${stem}.part`, noise(1000, 55))
    await Bun.write(join(partFolder(), 'pack', 'old.onnx.0123456789abcdef.part'), 'old')
    await pull(`piper/${lessac}`)
    expect(sha256(await bytesOf(`piper-${lessac}`, `${lessac}.onnx`))).toBe(sha256(served(graph)))
    expect(await readdir(join(packs, `piper-${lessac}`))).toHaveLength(4)
  })
})

describe('a failing hub', () => {
  it('that is unreachable gives one sentence and leaves nothing', async () => {
    const gone = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    await gone.stop(true)
    const { code, message } = await problemOf(pull('kokoro', { address: gone.url.href }))
    expect(code).toBe('url_fetch_failed')
    expect(message).toContain('cannot be reached (ECONNREFUSED)')
    expect(message).toContain('sonant help without-a-network')
    expect(existsSync(packs)).toBe(false)
  })

  it('without the repository or file gives not_found', async () => {
    expect((await problemOf(pull('kokoro'))).code).toBe('not_found')
    hub.faults.set('.onnx', () => new Response('no', { status: 404 }))
    const { code, message } = await problemOf(pull(`piper/${lessac}`))
    expect(code).toBe('not_found')
    expect(message).toContain('HTTP 404')
  })

  it('that requires accepted terms is reported so', async () => {
    hub.faults.set('/revision/main', () => new Response('', { status: 401, headers: { 'x-error-code': 'GatedRepo' } }))
    expect((await problemOf(pull('kokoro'))).message).toContain('only to those who accepted its terms')
    expect(existsSync(packs)).toBe(false)
  })

  it('that is overloaded is retried after its Retry-After', async () => {
    const at: number[] = []
    hub.faults.set('/revision/main', (_request, times) => {
      at.push(performance.now())
      return times === 1 ? new Response('', { status: 429, headers: { 'retry-after': '1' } }) : undefined
    })
    await pull(`piper/${lessac}`)
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(990)
  })

  it('with a too long Retry-After is an error', async () => {
    hub.faults.set('/revision/main', () => new Response('', { status: 429, headers: { 'retry-after': '3600' } }))
    expect((await problemOf(pull('kokoro'))).message).toContain('asks to retry in 3600 s')
  })

  it('may fail five times', async () => {
    hub.faults.set('/revision/main', (_request, times) => (times <= 5 ? new Response('', { status: 503 }) : undefined))
    expect((await pull(`piper/${lessac}`)).wasThere).toBe(false)
    hub.faults.set('/revision/main', () => new Response('', { status: 503 }))
    expect((await problemOf(pull(`piper/${lessac}`))).message).toContain('HTTP 503, 6 times in a row')
  })

  it('must not redirect in circles', async () => {
    hub.faults.set('/revision/main', (request) => Response.redirect(request.url))
    expect((await problemOf(pull('kokoro'))).message).toContain('redirects more than 5 times')
  })

  it('must have a valid certificate and not redirect from https to http', async () => {
    const fixture = (name: string) => Bun.file(join(import.meta.dir, '../../fixtures', name))
    const tls = { cert: fixture('tls-cert.pem'), key: fixture('tls-key.pem') }
    const secure = Bun.serve({ port: 0, hostname: '127.0.0.1', tls, fetch: () => Response.redirect(hub.url) })
    const address = `https://127.0.0.1:${secure.port}`
    try {
      expect((await problemOf(pull('kokoro', { address }))).message).toContain('no valid certificate')
      const given = process.env.NODE_TLS_REJECT_UNAUTHORIZED
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
      const problem = await problemOf(pull('kokoro', { address })).finally(() => {
        process.env.NODE_TLS_REJECT_UNAUTHORIZED = given ?? '1'
      })
      expect(problem.message).toContain('an address that is not https')
      expect(hub.log).toEqual([])
    } finally {
      await secure.stop(true)
    }
  })

  it('must not compress its answers', async () => {
    const body = Bun.gzipSync(Buffer.from('{}'))
    hub.faults.set('/revision/main', () => new Response(body, { headers: { 'content-encoding': 'gzip' } }))
    expect((await problemOf(pull('kokoro'))).message).toContain('compresses its answers (gzip)')
  })
})

describe('a disk', () => {
  it('that is too small is reported before the first file and nothing is left', async () => {
    const sizes: string[] = []
    const freeBytes = async (asked: string) => {
      sizes.push(asked)
      return 3 << 20
    }
    const { code, message } = await problemOf(pull(`piper/${lessac}`, { freeBytes }))
    expect(code).toBe('storage_failed')
    expect(message).toContain(`has ${3 << 20} bytes free`)
    expect(sizes).toEqual([packs])
    expect(await readdir(packs)).toEqual([])
    expect(hub.log.filter((line) => line.includes('/lfs/'))).toEqual([])
  })

  it('needs no space for files already present', async () => {
    const stop = new AbortController()
    const onProgress = ({ receivedBytes }: PullProgress) => receivedBytes > 2 << 20 && stop.abort(new Error('enough'))
    await expect(pull(`piper/${lessac}`, { signal: stop.signal, onProgress })).rejects.toThrow('enough')
    expect((await pull(`piper/${lessac}`, { freeBytes: async () => 2 << 20 })).wasThere).toBe(false)
  })
})

describe('a hostile hub', () => {
  const info = (answer: unknown) => hub.faults.set('/revision/main', () => Response.json(answer))

  it('cannot write outside of the pack', async () => {
    hub.repositories['seasonstudio/openvoice_tone_clone_onnx'] = {
      'configuration.json': { bytes: text('{}'), large: false },
      'tone_clone_model.onnx': { bytes: noise(10, 1), large: true },
      'tone_color_extract_model.onnx': { bytes: noise(10, 2), large: true },
    }
    const evil = ['../../evil', '/etc/evil', 'a/../../evil', '.ssh/evil', 'a\\..\\evil', 'evil\u0000', '-evil', 'x/']
    const tree = `/tree/${commit}`
    hub.faults.set(tree, async () => {
      hub.faults.delete(tree)
      const honest = (await (
        await fetch(`${hub.url}/api/models/seasonstudio/openvoice_tone_clone_onnx${tree}`)
      ).json()) as object[]
      return Response.json([...evil.map((path) => ({ type: 'file', oid: '0'.repeat(40), size: 3, path })), ...honest])
    })
    const { plan } = await pull('openvoice-v2')
    expect(plan.files.map(({ target }) => target).sort()).toEqual([
      'configuration.json',
      'tone_clone_model.onnx',
      'tone_color_extract_model.onnx',
    ])
    const odd = Object.fromEntries(
      evil.map((path) => [
        lessac,
        { language: { code: 'en_US', family: 'en' }, files: { [`${path}/${lessac}.onnx`]: { size_bytes: 1 } } },
      ]),
    )
    hub.repositories[piper]!['voices.json'] = { bytes: text(JSON.stringify(odd)), large: false }
    expect((await problemOf(pull(`piper/${lessac}`))).message).toContain('holds no voices')
  })

  it('with answers of the wrong shape gives an error with the place', async () => {
    for (const answer of [[], null, 'x', { sha: 1 }, { sha: '../..' }, {}]) {
      info(answer)
      expect((await problemOf(pull('kokoro'))).message).toContain('/revision/main')
    }
    hub.faults.clear()
    for (const index of ['', 'null', '[]', '{"a":1,"b":null,"c":{"files":[]}}', '{"a":{"language":{},"files":{}}}']) {
      hub.repositories[piper]!['voices.json'] = { bytes: text(index), large: false }
      expect((await problemOf(pull(`piper/${lessac}`))).message).toContain('voices.json')
    }
    addPiperVoices(hub, [{ key: lessac }])
    for (const tree of ['{}', 'null', '[null,1,"x",{"type":"file"},{"type":"file","path":1}]']) {
      hub.faults.set('/lessac/medium', () => new Response(tree))
      expect((await problemOf(pull(`piper/${lessac}`))).message).toMatch(/a list was expected|has no /)
    }
    expect(existsSync(packs)).toBe(false)
  })

  it('without a hash for a file gets no download', async () => {
    hub.faults.set('/lessac/medium', async () => {
      const files = Object.entries(hub.repositories[piper]!).filter(([path]) => path.startsWith('en/'))
      return Response.json(files.map(([path, { bytes }]) => ({ type: 'file', path, size: bytes.length })))
    })
    const index = Buffer.from(served('voices.json')).toString().replaceAll('md5_digest', 'none')
    hub.repositories[piper]!['voices.json'] = { bytes: text(index), large: false }
    expect((await problemOf(pull(`piper/${lessac}`))).message).toContain('has no hash of en/')
  })

  it('with deeply nested JSON is refused', async () => {
    const deep = '['.repeat(1000) + ']'.repeat(1000)
    hub.faults.set('/revision/main', () => new Response(`{"sha":"${commit}","cardData":{"license":${deep}}}`))
    expect((await problemOf(pull('kokoro'))).message).toContain('/revision/main is nested more than 64 levels deep')
  })

  it('with endless JSON is cut off', async () => {
    const endless = () => {
      const chunk = new Uint8Array(1 << 20).fill(32)
      return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }))
    }
    hub.faults.set('/revision/main', endless)
    expect((await problemOf(pull('kokoro'))).message).toContain(`is larger than ${8 << 20} bytes`)
  })

  it('with endless pages is cut off', async () => {
    hub.repositories['onnx-community/Kokoro-82M-v1.0-ONNX'] = {}
    const link = '<https://elsewhere.example/api?cursor=x>; rel="next"'
    hub.faults.set(`/tree/${commit}`, () => Response.json([], { headers: { link } }))
    expect((await problemOf(pull('kokoro'))).message).toContain('lists more than')
    expect(hub.log.filter((line) => line.includes('?cursor=x'))).toHaveLength(19)
  })
})
