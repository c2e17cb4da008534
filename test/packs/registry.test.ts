/** The registry with real folders, and a probe that trusts a file in the pack. */
import { afterEach, beforeEach, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { existsSync } from 'node:fs'
import { appendFile, cp, mkdir, mkdtemp, readdir, rename, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '../../src/log'
import { BadPack, type Pack } from '../../src/speech/models/pack'
import type { ConvolutionForm } from '../../src/speech/voice'
import { createPackRegistry, type PackRegistry } from '../../src/packs/registry'
import { rescanMark } from '../../src/packs/survey'

let root: string
let directory: string
let registries: PackRegistry[]
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sonant-registry-'))
  directory = join(root, 'voices')
  await mkdir(directory)
  registries = []
  failing = false
})
afterEach(async () => {
  for (const registry of registries) await registry.close()
  await rm(root, { recursive: true })
})

// The machine may be busy.
setDefaultTimeout(30_000)
const shortMs = 200
let probed: string[]
/** The form of the convolutions that each probe had to keep. */
let kept: (ConvolutionForm | undefined)[]
/** Whether every probe fails, through no fault of the pack. */
let failing: boolean
let running = 0
let mostRunning = 0

/** The file `voices` names the voices, one a line; a line `bad …` gives the reason of a refusal. */
async function probe(path: string, signal: AbortSignal, convolutions?: ConvolutionForm): Promise<Pack> {
  probed.push(path.slice(directory.length + 1))
  kept.push(convolutions)
  mostRunning = Math.max(mostRunning, ++running)
  try {
    await Bun.sleep(20)
    if (failing) throw new Error('no onnxruntime')
    const slugs = (await Bun.file(join(path, 'voices')).text()).split('\n')
    if (slugs[0]!.startsWith('bad ')) throw new BadPack(slugs[0]!.slice(4))
    if (slugs[0] === 'abort') throw new Error('worker process ended: died')
    if (slugs[0] === 'endless')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return {
      name: '?',
      family: 'piper',
      model: {
        directory: path,
        graph: 'model.onnx',
        version: '?',
        memoryBytes: 1,
        busyFactor: 2.5,
        convolutions: 'two_dimensional',
      },
      pace: { realTimeFactor: 2, charactersMax: 900 },
      sampleRate: 16_000,
      voices: slugs.map((id) => {
        return { id, displayName: id, description: null, language: 'en', gender: null, settings: { voice: id } }
      }),
      deterministic: true,
      timesWords: false,
      batches: false,
      sizeBytes: 1,
      license: null,
    }
  } finally {
    running--
  }
}

let published: readonly Pack[]
async function start({
  mayWriteCache = true,
  reservedIds = [] as string[],
  pollMs = 60_000,
  settleMs = shortMs,
  watches = true,
  patienceMs = 60_000,
  machine = 'this machine' as string | undefined,
  settings = '2 workers',
  log = createLogger('silent'),
} = {}) {
  probed = []
  kept = []
  mostRunning = 0
  const onChange = (packs: readonly Pack[]) => void (published = packs)
  const registry = await createPackRegistry({
    ...{ directory, reservedIds, probe, onChange, settleMs, pollMs, patienceMs, log },
    mayWriteCache: () => mayWriteCache,
    ...(machine !== undefined && { conditions: () => ({ machine, settings }) }),
  })
  registries.push(registry)
  if (watches) registry.watch()
  return registry
}

async function drop(name: string, voices: string, { ageMs = 10_000 } = {}): Promise<void> {
  const staged = join(root, 'staged')
  await mkdir(staged)
  await Bun.write(join(staged, 'voices'), voices)
  const then = new Date(Date.now() - ageMs)
  await utimes(join(staged, 'voices'), then, then)
  await rename(staged, join(directory, name))
}

const ids = (registry: PackRegistry) => registry.packs.flatMap(({ voices }) => voices.map(({ id }) => id))
const states = (registry: PackRegistry) => Object.fromEntries(registry.list().map(({ name, state }) => [name, state]))

async function until(condition: () => boolean, what: string): Promise<void> {
  const endAtMs = performance.now() + 20_000
  while (!condition()) {
    if (performance.now() > endAtMs) throw new Error(`not within twenty seconds: ${what}`)
    await Bun.sleep(10)
  }
}

describe('a pack with a slow probe', () => {
  it('lets the next ones be probed in parallel, also behind several slow ones', async () => {
    for (const name of ['a', 'b', 'c']) await drop(name, 'endless')
    for (const name of ['x', 'y']) await drop(name, name)
    const registry = await start({ patienceMs: 50 })
    await until(() => ids(registry).length === 2, 'the others ready')
    expect(states(registry)).toEqual({ a: 'checking', b: 'checking', c: 'checking', x: 'ready', y: 'ready' })
  })

  it('is aborted when its files change', async () => {
    await drop('a', 'endless')
    const registry = await start({ patienceMs: 60_000 })
    await until(() => probed.length === 1, 'begun')
    await Bun.write(join(directory, 'a/voices'), 'whole')
    await until(() => ids(registry).includes('whole'), 'ready')
    expect(mostRunning).toBe(1)
  })
})

describe('a registry', () => {
  it('detects a new pack while it watches and assigns voice ids', async () => {
    const registry = await start()
    expect(registry.list()).toEqual([])
    await drop('lessac', 'en-us-lessac')
    await until(() => states(registry).lessac === 'ready', 'ready')
    expect(ids(registry)).toEqual(['en-us-lessac'])
    expect(published).toBe(registry.packs)
    expect(registry.packs[0]!).toMatchObject({ name: 'lessac', model: { directory: join(directory, 'lessac') } })
    expect(registry.packs[0]!.model.version).toMatch(/^[0-9a-f]{32}$/)
  })

  it('starts without a folder and detects a new one', async () => {
    await rm(directory, { recursive: true })
    const registry = await start({ pollMs: 50 })
    expect(registry.list()).toEqual([])
    await mkdir(directory)
    await drop('a', 'a')
    await until(() => ids(registry).includes('a'), 'found')
    expect(await readdir(root)).toEqual(['voices'])
  })

  it('does not probe a folder while files are copied into it', async () => {
    const registry = await start({ settleMs: 1_000 })
    const path = join(directory, 'slow')
    await mkdir(path)
    for (let i = 0; i < 10; i++) {
      await appendFile(join(path, 'model.onnx'), 'x'.repeat(1000))
      await Bun.sleep(150)
      expect(probed).toEqual([])
    }
    expect(states(registry)).toEqual({ slow: 'checking' })
    await Bun.write(join(path, 'voices'), 'slow')
    await until(() => states(registry).slow === 'ready', 'ready')
    expect(probed).toEqual(['slow'])
  })

  it('ignores hidden and unfinished folders', async () => {
    const registry = await start()
    for (const name of ['.hidden', 'pull.part', 'pull.tmp']) await drop(name, 'x')
    await Bun.write(join(directory, 'README.md'), 'x')
    await drop('whole', 'whole')
    await until(() => states(registry).whole === 'ready', 'ready')
    expect(states(registry)).toEqual({ whole: 'ready' })
    expect(probed).toEqual(['whole'])
  })

  it('probes packs one at a time', async () => {
    const registry = await start()
    for (const name of ['a', 'b', 'c']) await drop(name, name)
    await until(() => ids(registry).length === 3, 'all three')
    expect(mostRunning).toBe(1)
    expect(probed.toSorted()).toEqual(['a', 'b', 'c'])
  })

  it('refuses a bad pack with the reason and keeps the others', async () => {
    const registry = await start()
    await drop('bad', 'bad model.onnx has no input called "input".')
    await drop('crash', 'abort')
    await drop('good', 'good')
    await until(
      () => !Object.values(states(registry)).includes('checking') && registry.list().length === 3,
      'all probed',
    )
    expect(registry.list()).toMatchObject([
      { name: 'bad', state: 'refused', reason: 'model.onnx has no input called "input".' },
      { name: 'crash', state: 'refused', reason: 'it could not be tested: worker process ended: died' },
      { name: 'good', state: 'ready' },
    ])
    expect(ids(registry)).toEqual(['good'])
  })

  it('names the folder for a model outside of one', async () => {
    await Bun.write(join(directory, 'en_US-amy.onnx'), 'x')
    const registry = await start()
    expect(registry.list()).toMatchObject([{ name: 'en_US-amy.onnx', state: 'refused' }])
    expect((registry.list()[0] as { reason: string }).reason).toContain('such as en_US-amy/')
  })

  it('refuses a folder with more files than any pack has', async () => {
    await mkdir(join(directory, 'home'))
    await Promise.all(Array.from({ length: 5_001 }, (_, i) => Bun.write(join(directory, 'home', `${i}`), '')))
    const registry = await start()
    await until(() => states(registry).home === 'refused', 'refused')
    expect(registry.list()).toMatchObject([{ reason: 'it has more than 5000 files' }])
    expect(probed).toEqual([])
  })

  it('probes a pack again when its files change, and keeps the old voices until then', async () => {
    const registry = await start({ pollMs: 40 })
    await drop('a', 'one')
    await until(() => ids(registry).includes('one'), 'the first')
    const { version } = registry.packs[0]!.model
    await Bun.write(join(directory, 'a/voices'), 'two')
    await until(() => states(registry).a === 'checking', 'checking')
    expect(ids(registry)).toEqual(['one'])
    await until(() => ids(registry).includes('two'), 'the second')
    expect(ids(registry)).toEqual(['two'])
    expect(registry.packs[0]!.model.version).not.toBe(version)
  })

  it('removes the voices of a pack that becomes bad', async () => {
    const registry = await start({ pollMs: 40 })
    await drop('a', 'one')
    await until(() => ids(registry).includes('one'), 'the first')
    await Bun.write(join(directory, 'a/voices'), 'bad it is empty.')
    await until(() => states(registry).a === 'refused', 'refused')
    expect(ids(registry)).toEqual([])
  })

  it('discards the result of a pack that changed meanwhile', async () => {
    const registry = await start({ pollMs: 50 })
    await drop('a', 'one')
    await until(() => probed.length === 1, 'the first try')
    await Bun.write(join(directory, 'a/voices'), 'two, which is longer')
    await until(() => registry.packs[0]?.voices[0]!.displayName === 'two, which is longer', 'the second')
    expect(probed).toEqual(['a', 'a'])
  })

  it('detects a deletion during the probe of new files', async () => {
    await drop('a', 'first')
    const registry = await start({ pollMs: 50 })
    await until(() => ids(registry).includes('first'), 'the first found')
    await appendFile(join(directory, 'a/voices'), '\nsecond')
    await until(() => probed.length === 2, 'probed again')
    await rm(join(directory, 'a'), { recursive: true })
    await until(() => ids(registry).length === 0, 'gone')
    expect(published).toEqual([])
  })

  it('detects a deletion, and restores the ids when the pack comes back', async () => {
    const registry = await start()
    await drop('a', 'a')
    await until(() => ids(registry).includes('a'), 'found')
    await rename(join(directory, 'a'), join(root, 'a'))
    await until(() => registry.list().length === 0, 'gone')
    expect(ids(registry)).toEqual([])
    await rename(join(root, 'a'), join(directory, 'a'))
    await until(() => ids(registry).includes('a'), 'back')
    expect(probed).toEqual(['a'])
  })

  it('probes refused packs again on request, by call or by a mark file', async () => {
    const registry = await start()
    await drop('a', 'bad luck')
    await until(() => states(registry).a === 'refused', 'refused')
    await registry.rescan()
    expect(states(registry)).toEqual({ a: 'checking' })
    await until(() => states(registry).a === 'refused', 'refused again')
    expect(probed).toEqual(['a', 'a'])
    await Bun.write(join(directory, rescanMark), '')
    await until(() => probed.length === 3, 'probed once more')
    expect(existsSync(join(directory, rescanMark))).toBe(false)
  })
})

describe('taking a pack away', () => {
  it('removes its voices at once, and its files on destroy', async () => {
    const registry = await start()
    await drop('a', 'a')
    await drop('b', 'b')
    await until(() => ids(registry).length === 2, 'both')
    const taken = registry.takeAway('a')!
    expect(ids(registry)).toEqual(['b'])
    expect(published).toBe(registry.packs)
    expect(existsSync(join(directory, 'a'))).toBe(false)
    await taken.destroy()
    expect((await readdir(directory)).filter((name) => !name.startsWith('.shelf'))).toEqual(['b'])
    expect(registry.takeAway('a')).toBeUndefined()
    expect(registry.takeAway('../voices')).toBeUndefined()
  })

  it('can be undone', async () => {
    const registry = await start()
    await drop('a', 'a')
    await until(() => ids(registry).includes('a'), 'found')
    registry.takeAway('a')!.putBack()
    expect(ids(registry)).toEqual(['a'])
    expect(await readdir(join(directory, 'a'))).toEqual(['voices'])
  })

  it('interrupted by a crash is completed by the next start', async () => {
    const registry = await start()
    await drop('a', 'a')
    await until(() => ids(registry).includes('a'), 'found')
    registry.takeAway('a')
    await registry.close()
    await start()
    const left = async () => (await readdir(directory)).some((name) => name.startsWith('.removed'))
    for (let i = 0; i < 100 && (await left()); i++) await Bun.sleep(10)
    expect(await left()).toBe(false)
  })

  it('keeps the target of a link', async () => {
    const registry = await start()
    await drop('real', 'a')
    await rename(join(directory, 'real'), join(root, 'real'))
    await Bun.$`ln -s ${join(root, 'real')} ${join(directory, 'linked')}`
    await until(() => ids(registry).includes('a'), 'found')
    await registry.takeAway('linked')!.destroy()
    expect(await readdir(join(root, 'real'))).toEqual(['voices'])
  })
})

describe('the pace of a pack', () => {
  it('that requests measured replaces that of the probe, is remembered, and the log says when it is slow', async () => {
    const lines: [message: string, advice: unknown][] = []
    const write = ({ advice }: Readonly<Record<string, unknown>>, message: string) =>
      void lines.push([message, (advice as string | undefined)?.slice(0, 35)])
    const registry = await start({ log: { ...createLogger('silent'), info: write, warn: write } })
    await drop('a', 'a')
    await until(() => ids(registry).includes('a'), 'ready')
    const [pack] = registry.packs
    for (const [realTimeFactor, charactersMax] of [
      [0.5, 2_000],
      [0.6, 2_000],
      [9, 300],
    ] as const) {
      const model = { ...pack!.model, busyFactor: 1.25 * realTimeFactor }
      registry.repace({ ...pack!, model, pace: { realTimeFactor, charactersMax } })
    }
    expect(registry.packs[0]).toMatchObject({ pace: { realTimeFactor: 9 }, model: { busyFactor: 11.25 } })
    expect(published).toBe(registry.packs)
    expect(lines).toEqual([
      ['pack ready', undefined],
      ['pack is slow on this machine', 'Only texts of up to about 900 chara'],
      ['pack is no longer slow', undefined],
      ['pack is slow on this machine', 'Only texts of up to about 300 chara'],
    ])
    await registry.close()
    expect((await start({ watches: false })).packs[0]!.pace).toEqual({ realTimeFactor: 9, charactersMax: 300 })
  })

  it('of a pack that was removed or refused meanwhile is dropped', async () => {
    const registry = await start({ pollMs: 40 })
    await drop('a', 'a')
    await until(() => ids(registry).includes('a'), 'ready')
    const [pack] = registry.packs
    await Bun.write(join(directory, 'a/voices'), 'bad it is empty.')
    await until(() => states(registry).a === 'refused', 'refused')
    registry.repace(pack!)
    registry.repace({ ...pack!, name: 'unknown' })
    expect(registry.packs).toEqual([])
  })
})

describe('a start', () => {
  /** Fills the cache: a registry probes these packs, and is closed. */
  async function seen(packs: Readonly<Record<string, string>>): Promise<void> {
    const registry = await start()
    for (const [name, voices] of Object.entries(packs)) {
      await drop(name, voices)
      await until(() => states(registry)[name] !== undefined && states(registry)[name] !== 'checking', name)
    }
    await registry.close()
  }

  it('offers the voices of cached packs at once, in order of installation, without a probe', async () => {
    await seen({ z: 'z', a: 'a\nb', broken: 'bad luck' })
    const registry = await start({ watches: false })
    expect(ids(registry)).toEqual(['z', 'a', 'b'])
    expect(states(registry)).toEqual({ z: 'ready', a: 'ready', broken: 'refused' })
    registry.watch()
    await Bun.sleep(2 * shortMs)
    expect(probed).toEqual([])
  })

  it('probes packs again after a failure that was not their fault', async () => {
    await seen({ crash: 'abort', broken: 'bad luck' })
    const registry = await start()
    expect(states(registry)).toEqual({ crash: 'checking', broken: 'refused' })
    await until(() => states(registry).crash === 'refused', 'probed')
    expect(probed).toEqual(['crash'])
  })

  it('reports the failure to readers of the cache', async () => {
    await seen({ crash: 'abort' })
    const registry = await start({ watches: false, mayWriteCache: false })
    expect(registry.list()).toEqual([
      { name: 'crash', state: 'refused', reason: 'it could not be tested: worker process ended: died' },
    ])
    await registry.probeAll()
    expect(probed).toEqual(['crash'])
  })

  it('detects packs deleted and added while it was closed', async () => {
    await seen({ a: 'a', b: 'b' })
    await rm(join(directory, 'a'), { recursive: true })
    await drop('c', 'c')
    const registry = await start()
    expect(ids(registry)).toEqual(['b'])
    await until(() => ids(registry).length === 2, 'the new one')
    expect(ids(registry)).toEqual(['b', 'c'])
    expect(probed).toEqual(['c'])
  })

  it('finds the packs in a moved data directory', async () => {
    await seen({ a: 'a' })
    await cp(directory, join(root, 'moved'), { recursive: true, preserveTimestamps: true })
    directory = join(root, 'moved')
    const registry = await start({ watches: false })
    expect(registry.packs.map(({ model }) => model.directory)).toEqual([join(root, 'moved', 'a')])
  })

  for (const [what, content] of [
    ['that is not JSON', '{"format":1,"packs":[{'],
    ['of another shape', '{"format":3,"packs":[{"name":"a","ids":{},"tried":{"version":1,"result":{"pack":{}}}}]}'],
    ['of another format', '{"format":0,"packs":5}'],
    ['that is empty', ''],
  ] as const)
    it(`with a cache ${what} probes everything again`, async () => {
      await seen({ a: 'a' })
      await Bun.write(join(directory, '.shelf.json'), content)
      const registry = await start()
      expect(ids(registry)).toEqual([])
      await until(() => ids(registry).includes('a'), 'probed')
      expect(probed).toEqual(['a'])
    })

  it('keeps the ids and reads the results in a cache of release 0.1', async () => {
    await drop('a', 'a')
    await seen({ broken: 'bad luck' })
    const path = join(directory, '.shelf.json')
    const { packs } = (await Bun.file(path).json()) as { packs: { name: string; tried: { version: string } }[] }
    const { tried } = packs.find(({ name }) => name === 'broken')!
    const entries = [
      { name: 'broken', ids: {}, tried },
      { name: 'a', ids: { a: 'a-7' } },
    ]
    await Bun.write(path, JSON.stringify({ format: 3, packs: entries }))
    const registry = await start()
    expect(states(registry)).toEqual({ broken: 'refused', a: 'checking' })
    await until(() => ids(registry).length > 0, 'probed')
    expect(ids(registry)).toEqual(['a-7'])
  })

  it('of another release uses the cached results and probes again', async () => {
    await seen({ a: 'a', broken: 'bad luck' })
    const path = join(directory, '.shelf.json')
    const cache = await Bun.file(path).text()
    await Bun.write(path, cache.replaceAll(/"program":"[^"]*"/g, '"program":"0.0.1 other"'))
    const registry = await start()
    expect(ids(registry)).toEqual(['a'])
    expect(states(registry)).toEqual({ a: 'ready', broken: 'checking' })
    await until(() => states(registry).broken === 'refused', 'probed')
    expect(probed.toSorted()).toEqual(['a', 'broken'])
  })

  it('under other conditions measures the pace again, and offers the voices without one meanwhile', async () => {
    await seen({ a: 'a', broken: 'bad luck' })
    const registry = await start({ machine: 'another machine' })
    expect(states(registry)).toEqual({ a: 'ready', broken: 'refused' })
    expect([registry.packs[0]!.pace, registry.packs[0]!.model.busyFactor]).toEqual([undefined, undefined])
    await until(() => registry.packs[0]?.pace !== undefined, 'measured')
    expect(probed).toEqual(['a'])
    await registry.close()
    await start({ machine: 'another machine' })
    await Bun.sleep(2 * shortMs)
    expect(probed).toEqual([])
  })

  it('with other settings keeps the form of the convolutions, because the bytes of the sound depend on it', async () => {
    await seen({ a: 'a' })
    for (const [settings, machine, form] of [
      ['1 worker', 'this machine', 'two_dimensional'],
      ['2 workers', 'this machine', 'two_dimensional'],
      ['2 workers', 'another machine', undefined],
    ] as const) {
      const registry = await start({ settings, machine })
      await until(() => registry.packs[0]?.pace !== undefined, 'measured')
      expect(kept).toEqual([form])
      await registry.close()
    }
    await Bun.write(join(directory, 'a/voices'), 'another')
    const registry = await start({ machine: 'another machine' })
    await until(() => ids(registry).includes('another'), 'probed')
    expect(kept).toEqual([undefined])
  })

  it('under other conditions keeps a pack whose pace cannot be measured, and does not try again and again', async () => {
    await drop('a', 'first')
    const registry = await start()
    await until(() => ids(registry).includes('first'), 'ready')
    await registry.close()
    failing = true
    const other = await start({ machine: 'another machine' })
    await until(() => probed.length === 1, 'probed')
    await Bun.sleep(2 * shortMs)
    expect([ids(other), other.packs[0]!.pace, probed]).toEqual([['first'], undefined, ['a']])
  })

  it('measures the packs in the cache of a release that measured none', async () => {
    await seen({ a: 'a' })
    const path = join(directory, '.shelf.json')
    const cache = await Bun.file(path).text()
    await Bun.write(path, cache.replace(/"conditions":\{[^}]*\},/, '').replace(/"pace":\{[^}]*\}/, '"batches":false'))
    const registry = await start()
    expect([ids(registry), registry.packs[0]!.pace]).toEqual([['a'], undefined])
    await until(() => registry.packs[0]?.pace !== undefined, 'measured')
    expect(probed).toEqual(['a'])
  })

  it('at the command line shows the pace in the cache, and probes nothing because of the conditions', async () => {
    await seen({ a: 'a' })
    const registry = await start({ watches: false, machine: undefined })
    expect(registry.packs[0]!.pace).toEqual({ realTimeFactor: 2, charactersMax: 900 })
    await registry.close()
    const verb = await start({ watches: false, settings: '1 worker' })
    await verb.probeAll()
    expect(probed).toEqual([])
  })

  it('with a broken pace in the cache probes the pack again', async () => {
    await seen({ a: 'a' })
    const path = join(directory, '.shelf.json')
    await Bun.write(path, (await Bun.file(path).text()).replace('"realTimeFactor":2', '"realTimeFactor":"slow"'))
    const registry = await start()
    await until(() => registry.packs[0]?.pace !== undefined, 'measured')
    expect(probed).toEqual(['a'])
  })

  it('writes nothing beside a server', async () => {
    const registry = await start({ mayWriteCache: false, watches: false })
    await drop('a', 'a')
    await registry.rescan()
    expect(states(registry)).toEqual({ a: 'checking' })
    await registry.probeAll()
    expect(ids(registry)).toEqual(['a'])
    await registry.close()
    expect(await readdir(directory)).toEqual(['a'])
  })
})

describe('ids', () => {
  it('stay with their voices when other packs come and go', async () => {
    const first = await start()
    await drop('old', 'same')
    await until(() => ids(first).length === 1, 'one')
    await drop('a-new', 'same')
    await until(() => ids(first).length === 2, 'two')
    expect(ids(first)).toEqual(['same', 'same-2'])
    await first.close()
    const second = await start()
    expect(ids(second)).toEqual(['same', 'same-2'])
    await rename(join(directory, 'old'), join(root, 'old'))
    await until(() => ids(second).length === 1, 'one again')
    expect(ids(second)).toEqual(['same-2'])
    await rename(join(root, 'old'), join(directory, 'old'))
    await until(() => ids(second).length === 2, 'two again')
    expect(ids(second)).toEqual(['same', 'same-2'])
  })

  it('are never those of built-in voices', async () => {
    const registry = await start({ reservedIds: ['en-ross', 'en-ross-2'] })
    await drop('a', 'en-ross')
    await until(() => ids(registry).length === 1, 'one')
    expect(ids(registry)).toEqual(['en-ross-3'])
  })
})
