/** Packs in the probe: good ones speak, and each bad one is refused with the reason. */
import { afterAll, describe, expect, it } from 'bun:test'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decode } from '../../src/audio/decode/decode'
import type { Pcm } from '../../src/audio/pcm'
import { loadEngineOf } from '../../src/speech/load-engine'
import type { VoiceSpec } from '../../src/speech/voice'
import { openPackFolder } from '../../src/speech/models/folder'
import { BadPack } from '../../src/speech/models/pack'
import { genderOf, probePack } from '../../src/packs/probe'
import { probeText } from '../../src/packs/probe-texts'
import { readPack } from '../../src/packs/read-pack'
import { packReaders } from '../../src/packs/readers'
import { openRuntime, type Runtime } from '../../src/speech/onnx/runtime'
import { readCatalogue } from '../../src/voice/catalogue'
import { constantGraph, extractorGraph, writeConverterPack, type ConverterFiles } from '../onnx/converter'
import { addToGraph, attribute, node, tensor } from '../onnx/raw'
import { limits } from '../audio/decode/recordings'
import { describeWith } from '../tools'
import { loadTone, readTonePack, sampleRate, toneConfig, toneGraph, writePack } from '../speech/models/tone'

const home = mkdtempSync(join(tmpdir(), 'sonant-packs-'))
afterAll(() => rmSync(home, { recursive: true }))
const runtime = await openRuntime({ directory: home, provider: 'cpu', threads: 1 })

let packs = 0
const freshFolder = () => {
  const directory = join(home, `pack-${packs++}`)
  mkdirSync(directory)
  return directory
}
const pack = (files?: Record<string, string | Uint8Array>) => writePack(freshFolder(), files)
/** A folder with only these files. */
function folder(files: Record<string, string | Uint8Array>): string {
  const directory = pack(files)
  for (const name of ['tone.onnx', 'tone.onnx.json']) if (!(name in files)) rmSync(join(directory, name))
  return directory
}

const readers = [...packReaders, readTonePack]
const probe = async (directory: string, memoryMaxBytes = 1e9) =>
  (await probePack(directory, { runtime: async () => runtime, memoryMaxBytes, readers, load: loadTone })).pack

/** Fails if onnxruntime or an engine is used: the refusal must come before. */
async function reasonUnopened(directory: string, memoryMaxBytes = 1e9): Promise<string> {
  const never = (): never => {
    throw new Error('the pack was opened')
  }
  const error = await probePack(directory, {
    runtime: async (): Promise<Runtime> => never(),
    memoryMaxBytes,
    readers,
    load: never,
  }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(BadPack)
  return (error as BadPack).message
}

async function reasonOpened(directory: string): Promise<string> {
  const error = await probe(directory).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(BadPack)
  return (error as BadPack).message
}

describe('a pack that speaks', () => {
  it('is described by its files and one sentence of speech', async () => {
    const card = '---\nlicense: cc-by-4.0\ntags: [tts]\n---\n# A tone\n'
    const directory = pack({ 'README.md': card })
    const found = await probe(directory)
    expect(found).toMatchObject({
      name: directory.split('/').at(-1),
      family: 'vits',
      sampleRate,
      deterministic: true,
      timesWords: false,
      license: 'cc-by-4.0',
      sizeBytes: toneGraph().length + toneConfig.length + card.length,
      model: { directory, graph: 'tone.onnx' },
    })
    expect(found.model.version).toMatch(/^[0-9a-f]{32}$/)
    expect(found.voices.map(({ id, gender }) => [id, gender])).toEqual([
      ['tone-0', 'female'],
      ['tone-1', 'male'],
    ])
  })

  it('has a version that changes only with its files', async () => {
    const directory = pack()
    const { model } = await readPack(directory, readers)
    expect((await readPack(directory, readers)).model.version).toBe(model.version)
    writeFileSync(join(directory, 'LICENSE'), 'MIT License\n')
    const again = await readPack(directory, readers)
    expect(again.model.version).not.toBe(model.version)
    expect(again.license).toBe('MIT')
  })

  it('reports whether its noise repeats', async () => {
    const noisy = (attributes: Record<string, number>) =>
      pack({
        'tone.onnx': toneGraph((graph, sound) =>
          graph.op('Add', [
            sound,
            graph.op('Mul', [graph.op('RandomNormalLike', [sound], attributes), graph.floats([0.001])]),
          ]),
        ),
      })
    expect((await probe(noisy({ dtype: 1 }))).deterministic).toBe(true)
    const inABody = addToGraph(
      toneGraph(),
      node('If', ['c'], 'i', attribute.body('then_branch', node('RandomNormal', [], 'r'))),
    )
    expect((await readPack(pack({ 'tone.onnx': inABody }), readers)).deterministic).toBe(false)
  })

  it('has the real-time factor of its sentence, by the processor time of a busy machine', async () => {
    const paceOn = async (clock: { wallMs: number; cpuMs: number }) => {
      let ticks = 0
      const read = (ms: number) => () => Math.floor(ticks++ / 2) * ms
      const options = { runtime: async () => runtime, memoryMaxBytes: 1e9, readers, load: loadTone }
      // Each run reads both clocks, then both again.
      return probePack(pack(), { ...options, clock: { wallMs: read(clock.wallMs), cpuMs: read(clock.cpuMs) } })
    }
    const [idle, busy] = [await paceOn({ wallMs: 2_000, cpuMs: 2_000 }), await paceOn({ wallMs: 30_000, cpuMs: 2_000 })]
    expect(idle.realTimeFactor).toBeGreaterThan(0)
    expect(busy.realTimeFactor).toBe(idle.realTimeFactor)
  })

  it('synthesizes at most eight voices of unknown gender', async () => {
    const directory = pack({ 'tone.onnx.json': JSON.stringify({ pitches: Array<number>(10).fill(230) }) })
    const { voices } = await probe(directory)
    expect(voices.map(({ gender }) => gender)).toEqual([...Array<'female'>(8).fill('female'), null, null])
  })

  it('may be a link to a folder', async () => {
    const directory = pack()
    const link = join(home, 'linked')
    symlinkSync(directory, link)
    expect(await probe(link)).toMatchObject({ name: 'linked', model: { directory } })
  })
})

describe('memory', () => {
  const megabytes = 40
  const large = () =>
    pack({
      'tone.onnx': toneGraph((graph, sound) => {
        const weights = graph.floats(new Float32Array(megabytes << 18).fill(1e-9))
        return graph.op('Add', [sound, graph.op('ReduceSum', [weights])])
      }),
    })

  it('beyond the limit by the estimate prevents the opening', async () => {
    expect(await reasonUnopened(large(), 100e6)).toMatch(
      /^tone\.onnx needs about 127 MB of memory; at most 100 MB are allowed$/,
    )
  })

  it('is measured after the model has spoken', async () => {
    const child = Bun.spawn(
      [
        process.execPath,
        '-e',
        `import { probePack } from ${JSON.stringify(join(import.meta.dir, '../../src/packs/probe.ts'))}
         import { openRuntime } from ${JSON.stringify(join(import.meta.dir, '../../src/speech/onnx/runtime.ts'))}
         import { loadTone, readTonePack } from ${JSON.stringify(join(import.meta.dir, '../speech/models/tone.ts'))}
         const runtime = () => openRuntime({ directory: '/', provider: 'cpu', threads: 1 })
         const options = { runtime, memoryMaxBytes: 1e9, readers: [readTonePack], load: loadTone }
         console.log((await probePack(${JSON.stringify(large())}, options)).pack.model.memoryBytes / 1e6)`,
      ],
      { stdout: 'pipe' },
    )
    const measured = Number(await new Response(child.stdout).text())
    expect(measured).toBeWithin(megabytes, 3 * megabytes)
  })
})

describe('a bad pack', () => {
  const good = toneGraph()
  const graphs: [string, Uint8Array, string][] = [
    ['empty', new Uint8Array(0), 'tone.onnx is empty'],
    ['truncated', good.subarray(0, good.length >> 1), 'tone.onnx is cut off or damaged, or is not an ONNX file'],
    [
      'of random bytes',
      Uint8Array.from({ length: 5_000 }, (_, i) => (i * i * 31 + i * 7) & 0xff),
      'tone.onnx is damaged',
    ],
    ['a zip bomb', zipBomb(), 'tone.onnx is a zip archive'],
    ['of an unknown opset', toneGraph(undefined, 99), 'tone.onnx has opset 99'],
    ['of absurd declared size', addToGraph(good, tensor({ dims: [2 ** 31, 2 ** 31] })), 'larger than 64 GiB'],
    [
      'without its parameters',
      addToGraph(good, tensor({ dims: [9], external: { location: 'w.data' } })),
      'tone.onnx needs its parameters from w.data, which is missing',
    ],
    [
      'with files outside of the folder',
      addToGraph(good, tensor({ dims: [9], external: { location: '../../etc/passwd' } })),
      'tone.onnx needs parameters from "../../etc/passwd", outside of its folder',
    ],
  ]
  for (const [what, graph, reason] of graphs)
    it(`is refused when its graph is ${what}`, async () => {
      expect(await reasonUnopened(pack({ 'tone.onnx': graph }))).toContain(reason)
    })

  it('is refused with another signature', async () => {
    const other = addToGraph(good, new Uint8Array([0x62, 0x03, 0x0a, 0x01, 0x7a]))
    expect(await reasonUnopened(pack({ 'tone.onnx': other }))).toBe('tone.onnx has 2 outputs, not one')
  })

  it('is refused when its JSON is invalid, of another type, huge, or nested too deeply', async () => {
    const configs = [
      '',
      '{',
      '[1, 2]',
      '"text"',
      'null',
      `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      Uint8Array.of(0x7b, 0xff, 0x7d),
    ]
    for (const config of configs)
      expect(await reasonUnopened(pack({ 'tone.onnx.json': config }))).toBe('tone.onnx.json is not a JSON object')
    expect(await reasonUnopened(pack({ 'tone.onnx.json': '{"pitches": 5}' }))).toBe(
      'tone.onnx.json: pitches is not a list',
    )
    expect(await reasonUnopened(pack({ 'tone.onnx.json': new Uint8Array((16 << 20) + 1) }))).toContain(
      'more than 16777216',
    )
  })

  it('is refused when its files are links out of the folder', async () => {
    const directory = pack()
    renameSync(join(directory, 'tone.onnx'), join(home, 'outside.onnx'))
    symlinkSync(join(home, 'outside.onnx'), join(directory, 'tone.onnx'))
    expect(await reasonUnopened(directory)).toBe('tone.onnx is a link that leads out of the folder')
    const parameters = pack({ 'tone.onnx': addToGraph(good, tensor({ dims: [1], external: { location: 'w.data' } })) })
    symlinkSync('/etc/passwd', join(parameters, 'w.data'))
    expect(await reasonUnopened(parameters)).toContain('w.data, which is a link that leads out of the folder')
  })

  it('is refused when its graph is an empty folder', async () => {
    const directory = folder({ 'tone.onnx.json': toneConfig })
    mkdirSync(join(directory, 'tone.onnx'))
    expect(await reasonUnopened(directory)).toBe('it has no model (.onnx)')
  })

  it('is refused when it has ten thousand files', async () => {
    const directory = pack()
    for (let i = 0; i < 10_000; i++) writeFileSync(join(directory, `${i}.txt`), '')
    expect(await reasonUnopened(directory)).toContain('more than 5000 files')
  })

  it('is refused without any known file', async () => {
    expect(await reasonUnopened(folder({}))).toBe('the folder is empty')
    expect(await reasonUnopened(folder({ 'voice.tar.bz2': 'BZh' }))).toBe('voice.tar.bz2 is an archive: unpack it')
    expect(await reasonUnopened(folder({ 'other.onnx': good }))).toContain('other.onnx has no file beside it')
    expect(await reasonUnopened(folder({ 'notes.txt': 'hello' }))).toBe('it has no model (.onnx)')
    expect(await reasonUnopened(join(home, 'gone'))).toBe('there is no such folder')
  })

  it('is refused when it fails, returns invalid sound, or is silent', async () => {
    const bad: [Parameters<typeof toneGraph>[0], string][] = [
      [(graph, sound) => graph.op('Log', [graph.op('Neg', [graph.op('Abs', [sound])])]), 'some samples are not finite'],
      [(graph, sound) => graph.op('Mul', [sound, graph.floats([0])]), 'silence'],
      [(graph, sound) => graph.op('Slice', [sound, graph.ints([0]), graph.ints([100])]), 'too short'],
      [
        (graph, sound) =>
          graph.op('Clip', [
            graph.op('Mul', [sound, graph.floats([1e4])]),
            graph.floats([-1], []),
            graph.floats([1], []),
          ]),
        'clipped',
      ],
    ]
    for (const [change, reason] of bad) {
      const message = await reasonOpened(pack({ 'tone.onnx': toneGraph(change) }))
      expect(message).toStartWith('tone.onnx does not speak: its voice tone-0 gave')
      expect(message).toContain(reason)
    }
    const failing = toneGraph((graph, sound) => graph.op('Reshape', [sound, graph.ints([7])]))
    expect(await reasonOpened(pack({ 'tone.onnx': failing }))).toStartWith('tone.onnx cannot be used: ')
    const unknown = toneGraph((graph, sound) => graph.op('NoSuchOperator', [sound]))
    expect(await reasonOpened(pack({ 'tone.onnx': unknown }))).toStartWith('tone.onnx cannot be used: ')
  })
})

describe('a tone converter', () => {
  const converter = async (files?: ConverterFiles) => (await writeConverterPack(freshFolder(), files)).directory

  it('is probed with a second of sound', async () => {
    const directory = await converter()
    const options = { runtime: async () => runtime, memoryMaxBytes: 1e9 }
    expect((await probePack(directory, options)).realTimeFactor).toBeGreaterThan(0)
    expect(await probe(directory)).toMatchObject({
      family: 'converter',
      voices: [],
      timesWords: false,
      deterministic: true,
      model: { graph: 'tone_clone_model.onnx' },
    })
  })

  it('is refused when it returns silence or invalid sound', async () => {
    const gives = (value: number) => converter({ converter: constantGraph(value) })
    expect(await reasonOpened(await gives(0))).toBe('tone_clone_model.onnx does not convert: it gave silence')
    expect(await reasonOpened(await gives(Number.NaN))).toContain('not finite')
  })

  it('is refused unopened when one of its two graphs is damaged', async () => {
    const whole = extractorGraph()
    const extractor = whole.subarray(0, whole.length >> 1)
    expect(await reasonUnopened(await converter({ extractor }))).toBe(
      'tone_color_extract_model.onnx is cut off or damaged, or is not an ONNX file',
    )
  })
})

describe('the folder of a pack', () => {
  it('has regular files of two levels, and links between them', async () => {
    const directory = pack({ 'voices/a.bin': 'abc', 'deep/er/b.bin': 'x', '.hidden': 'x' })
    symlinkSync(join(directory, 'voices/a.bin'), join(directory, 'same.bin'))
    symlinkSync(directory, join(directory, 'circle'))
    symlinkSync('nowhere', join(directory, 'nothing'))
    expect(Bun.spawnSync(['mkfifo', join(directory, 'pipe')]).exitCode).toBe(0)
    const opened = await openPackFolder(directory)
    expect(opened.files).toEqual(['same.bin', 'tone.onnx', 'tone.onnx.json', 'voices/a.bin'])
    expect([...opened.leftOut.keys()].sort()).toEqual(['circle', 'nothing', 'pipe'])
    expect(new TextDecoder().decode(await opened.read('same.bin', 3))).toBe('abc')
    expect(opened.sizeBytesOf('voices/a.bin')).toBe(3)
  })

  it('reads nothing outside of it', async () => {
    const opened = await openPackFolder(pack())
    for (const file of ['../outside.onnx', '/etc/passwd', 'voices', '', '.', 'tone.onnx/..'])
      await expect(opened.read(file, 1e6)).rejects.toThrow('is missing')
    await expect(opened.read('tone.onnx', 10)).rejects.toThrow('more than 10')
    await expect(opened.readGraph('tone.onnx.json')).rejects.toThrow('tone.onnx.json is JSON, not an ONNX file')
  })
})

describe('the gender of a voice', () => {
  it('is detected in Flite’s recorded voices, and unknown for noise', async () => {
    const voices = readCatalogue().voices.filter(
      ({ engine, adaptation, settings }) => engine === 'flite' && !adaptation && settings.pitchHz === undefined,
    )
    expect(new Set(voices.map(({ gender }) => gender)).size).toBe(2)
    for (const voice of voices) {
      const engine = await loadEngineOf(voice as VoiceSpec, () => Promise.reject(new Error('not needed')))
      const speech: Pcm = await engine.synthesize(voice as VoiceSpec, probeText('en-US'))
      expect([voice.id, genderOf(speech)]).toEqual([voice.id, voice.gender])
    }
    let seed = 1
    const draw = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5
    const noise = { samples: Float32Array.from({ length: 3 * sampleRate }, draw), sampleRate }
    expect(genderOf(noise)).toBeNull()
  })
})

const speakers = join(import.meta.dir, '../../../shared/speech/speakers')

describeWith([speakers], 'the gender of people', () => {
  it('is detected in recordings of ten people, except an orator with a raised voice', async () => {
    const files = readdirSync(speakers).filter((file) => /^.._[fm]_/.test(file))
    expect(files.length).toBeGreaterThan(8)
    const wrong: string[] = []
    for (const file of files) {
      const { pcm } = await decode(readFileSync(join(speakers, file)), limits)
      if (genderOf(pcm) !== (file[3] === 'f' ? 'female' : 'male')) wrong.push(file)
    }
    expect(wrong).toEqual(['en_m_jfk.flac'])
  })
})

/** A megabyte that inflates to a gigabyte is detected as a zip archive. */
function zipBomb(): Uint8Array {
  const header = new Uint8Array(30)
  new DataView(header.buffer).setUint32(0, 0x504b0304)
  return new Uint8Array(Buffer.concat([header, Bun.deflateSync(new Uint8Array(1 << 20))]))
}
