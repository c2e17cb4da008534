/** Converted voices and voices based on installed ones, in real worker processes. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromInt16, toInt16, type Pcm } from '../../../src/audio/pcm'
import { trimSilence } from '../../../src/audio/trim'
import { startDeadline } from '../../../src/deadline'
import { createLogger } from '../../../src/log'
import { enrolVoice, type EnrolledVoice, type Recording, letCloneIn } from '../../../src/clone/enrolment'
import type { Converter } from '../../../src/cloning/convert/installed-converter'
import { loadConverter, type ToneConverter } from '../../../src/cloning/convert/converter'
import { meanSpeakerEmbedding } from '../../../src/cloning/convert/speaker-embedding'
import { loadEngine } from '../../../src/speech/load-engine'
import type { ModelFiles, VoiceSpec } from '../../../src/speech/voice'
import { openRuntime } from '../../../src/speech/onnx/runtime'
import { writeRuntimeOptions } from '../../../src/speech/onnx/runtime-options'
import type { Job } from '../../../src/workers/job'
import { createScheduler, type Scheduler } from '../../../src/workers/scheduler'
import { modelOptions } from '../../workers/model-options'
import { readProfile } from '../../../src/cloning/profiles'
import { TaskFailed } from '../../../src/workers/task-failed'
import { tuningTexts } from '../../../src/speech/tuning-texts'
import { readCatalogue } from '../../../src/voice/catalogue'
import { makeVoice } from '../../audio/analysis/voices'
import { constantGraph, evenPitchHz, writeConverterPack } from '../../onnx/converter'
import { loudnessLufs, medianPitchHz } from '../../sound'

setDefaultTimeout(60_000)

const catalogue = readCatalogue()
const text = 'The weather will be warm and sunny for the rest of the week.'
/** For tests that do not measure the sound. */
const shortText = 'We go home.'
let directory: string
let model: ModelFiles
let converter: ToneConverter
let scheduler: Scheduler
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-convert-'))
  const options = { directory, provider: 'cpu', threads: 1 } as const
  Object.assign(process.env, writeRuntimeOptions(options))
  model = await writeConverterPack(join(directory, 'converter'))
  converter = await loadConverter(model, await openRuntime(options))
  scheduler = startScheduler()
})
afterAll(async () => {
  scheduler.close()
  await rm(directory, { recursive: true })
})

function startScheduler(): Scheduler {
  return createScheduler({
    models: modelOptions,
    command: [process.execPath, join(import.meta.dir, 'worker.ts'), 'worker'],
    workers: 2,
    taskTimeoutMs: 60_000,
    workerMemoryMaxBytes: 900 << 20,
    jobsMax: 100,
    horizonMs: 60_000,
    log: createLogger('silent'),
  })
}

async function withJob<T>(work: (job: Job) => Promise<T>, from = scheduler): Promise<T> {
  const job = from.openJob({ key: 'key', background: false })
  try {
    return await work(job)
  } finally {
    job.end()
  }
}

function say(voice: VoiceSpec, said = text, from = scheduler): Promise<Pcm> {
  return withJob(async (job) => {
    const fields = { letters: said.length, symbols: 0, sampleRate: 22_050, speed: 1, pauseMs: 0 }
    const { chunks } = await job.synthesize({ kind: 'synthesize', voice, text: said, ...fields })
    return { samples: fromInt16(chunks[0]!), sampleRate: 22_050 }
  }, from)
}

function recordingOf(pcm: Pcm): Recording {
  return { samples: toInt16(pcm.samples), sampleRate: pcm.sampleRate, durationMs: 4000, warnings: [] }
}

const speaker = (hz: number) =>
  recordingOf(makeVoice({ seconds: 4, f0At: (time) => hz * (1 + 0.1 * Math.sin(5 * time)), harmonicityDb: 20 }))
const queue = { queueKey: 'key', deadline: startDeadline(600_000) }

/** Makes a voice in a place of its own. */
async function enrolIn(
  from: Scheduler,
  voices: readonly VoiceSpec[],
  recording: Recording,
  converter: Converter | undefined,
) {
  const admitted = letCloneIn(from, queue, converter)
  try {
    return await enrolVoice(from, { voices }, recording, { language: 'en', converter, admitted, ...queue })
  } finally {
    admitted.place.leave()
  }
}

function enrol(
  recording: Recording,
  voices: readonly VoiceSpec[] = catalogue.voices,
  withConverter = true,
  from = scheduler,
) {
  return enrolIn(from, voices, recording, withConverter ? { model, deterministic: true } : undefined)
}

function specOf({ baseVoiceId, profile }: EnrolledVoice, voices: readonly VoiceSpec[] = catalogue.voices): VoiceSpec {
  const base = voices.find(({ id }) => id === baseVoiceId)!
  const read = readProfile(profile)
  if (read.version === 1) return { ...base, id: 'clone', adaptation: read.tuned[baseVoiceId]! }
  return { ...base, id: 'clone', sampleRate: 22_050, conversion: { model, to: read.tone } }
}

const engines = new Map<string, ReturnType<typeof loadEngine>>()

function engineOf({ engine }: VoiceSpec): ReturnType<typeof loadEngine> {
  const loaded = engines.get(engine) ?? loadEngine(engine as 'flite' | 'espeak')
  engines.set(engine, loaded)
  return loaded
}

/** The pitch of `voice` after the singing converter of these tests. */
async function pitchOf(voice: VoiceSpec): Promise<number> {
  const engine = await engineOf(voice)
  const spoken: Pcm[] = []
  for (const said of tuningTexts(voice.language)) spoken.push(trimSilence(await engine.synthesize(voice, said)))
  const sum = (tone: ArrayLike<number>) => Array.from(tone).reduce((total, value) => total + value, 0)
  return evenPitchHz * Math.sqrt(sum(voice.conversion!.to) / sum(await meanSpeakerEmbedding(converter, spoken)))
}

describe('a converted voice', () => {
  let made: EnrolledVoice
  let voice: VoiceSpec
  beforeAll(async () => {
    made = await enrol(speaker(200))
    voice = specOf(made)
  })

  it('is made from a recording in a worker', () => {
    expect(made).toMatchObject({ method: 'converted', language: 'en', gender: 'female', baseVoiceId: 'en-ivy' })
    expect(readProfile(made.profile)).toMatchObject({ version: 2, converter: converter.fingerprint })
  })

  it('converts from the embedding of its base to that of the recording, at the common loudness and the same length', async () => {
    const spoken = await say(voice)
    expect(medianPitchHz(spoken) / (await pitchOf(voice))).toBeWithin(0.98, 1.02)
    const { conversion: _, ...base } = voice
    const plain = await say(base)
    expect(Math.abs(spoken.samples.length - plain.samples.length)).toBeLessThan(10)
    expect(Math.abs(loudnessLufs(spoken) - loudnessLufs(plain))).toBeLessThan(0.5)
  })

  it('becomes the same speaker in another script with another base', async () => {
    const fallback = catalogue.fallbackVoiceFor({ ...catalogue.find('en-ivy')!, gender: 'female' }, 'Hani')
    expect(fallback.id).toBe('zh-mei')
    const spec: VoiceSpec = { ...fallback, id: 'clone zh-mei', sampleRate: 22_050, conversion: voice.conversion }
    const expected = await pitchOf(spec)
    expect(medianPitchHz(await say(spec, '我们明天早上八点去北京大学看老师。')) / expected).toBeWithin(0.98, 1.02)
    expect(Math.abs(expected / (await pitchOf(voice)) - 1)).toBeGreaterThan(0.005)
  })

  it('gives the same bytes in every process, after any other text', async () => {
    const first = await say(voice, shortText)
    const other = startScheduler()
    try {
      expect((await say(voice, shortText, other)).samples).toEqual(first.samples)
    } finally {
      other.close()
    }
    await say({ ...voice, conversion: { model, to: voice.conversion!.to.map((value) => value * 2) } })
    expect((await say(voice, shortText)).samples).toEqual(first.samples)
  })

  it('speaks a single letter, and nothing for an unpronounceable text', async () => {
    expect((await say(voice, 'A')).samples.length).toBeGreaterThan(1000)
    const fields = { letters: 0, symbols: 1, sampleRate: 22_050, speed: 1, pauseMs: 100 }
    const { chunks } = await withJob((job) => job.synthesize({ kind: 'synthesize', voice, text: '.', ...fields }))
    expect(chunks[0]!.length).toBeGreaterThanOrEqual(2205)
  })

  it('fails when the converter gives silence, full scale or NaN, and recovers with a valid converter', async () => {
    for (const value of [0, 1, NaN]) {
      const broken = await writeConverterPack(join(directory, `broken ${value}`), { converter: constantGraph(value) })
      const failed = await say({ ...voice, conversion: { model: broken, to: voice.conversion!.to } }, shortText).catch(
        (error: unknown) => error,
      )
      expect(failed).toBeInstanceOf(TaskFailed)
      expect((failed as TaskFailed).stage).toBe('synthesize')
    }
    const torn = await writeConverterPack(join(directory, 'torn'))
    await writeFile(join(torn.directory, torn.graph), 'not a graph')
    const spec = { ...voice, conversion: { model: torn, to: voice.conversion!.to } }
    await expect(say(spec, shortText)).rejects.toBeInstanceOf(TaskFailed)
    const whole = await writeConverterPack(torn.directory)
    const repaired = { ...voice, conversion: { model: whole, to: voice.conversion!.to } }
    expect((await say(repaired, shortText)).samples).toEqual((await say(voice, shortText)).samples)
  })

  it('fails when the files of its converter have changed', async () => {
    const changed = await writeConverterPack(join(directory, 'changed'))
    await writeConverterPack(changed.directory, { converter: constantGraph(0.1) })
    const spec = { ...voice, conversion: { model: changed, to: voice.conversion!.to } }
    await expect(say(spec, shortText)).rejects.toThrow('the files of the model have changed')
  })

  it('is not made by a converter that cannot be loaded', async () => {
    const gone = { ...model, directory: join(directory, 'gone') }
    const attempt = enrolIn(scheduler, catalogue.voices, speaker(200), { model: gone, deterministic: true })
    await expect(attempt).rejects.toMatchObject({ code: 'render_failed' })
  })
})

describe('a voice based on an installed one', () => {
  const install = (id: string, pitchHz: number, change: Partial<VoiceSpec> = {}): VoiceSpec => ({
    ...{ id, engine: 'piper', language: 'en-US', sampleRate: 24_000, settings: { voice: id, pitchHz }, gender: null },
    model: { directory: `/voices/${id}`, graph: 'x.onnx', version: '1', memoryBytes: 1 },
    ...change,
  })
  const voices: readonly VoiceSpec[] = [
    ...catalogue.voices,
    install('broken', 190),
    install('far', 105),
    install('near', 180),
    install('german', 200, { language: 'de-DE' }),
  ]

  it('is adapted from the near one and tuned by its speech', async () => {
    const made = await enrol(speaker(205), voices, false)
    expect(made).toMatchObject({ method: 'adapted', baseVoiceId: 'near', gender: 'female' })
    const profile = readProfile(made.profile)
    expect(profile.version === 1 && Object.keys(profile.tuned)).toEqual(['near'])
    const spoken = await say(specOf(made, voices))
    expect(Math.abs(12 * Math.log2(medianPitchHz(spoken) / 205))).toBeLessThan(1)
    expect((await enrol(speaker(205), voices, false)).profile).toBe(made.profile)
  })

  it('is converted from the nearest one', async () => {
    const made = await enrol(speaker(205), voices)
    expect(made).toMatchObject({ method: 'converted', baseVoiceId: 'near' })
    expect((await say(specOf(made, voices))).samples.length).toBeGreaterThan(22_050)
    expect((await enrol(speaker(110), voices)).baseVoiceId).toBe('far')
  })

  it('is adapted from a built-in one when all installed ones are too far away or broken', async () => {
    const distant = voices.filter(({ id }) => id !== 'near')
    expect((await enrol(speaker(205), distant, false)).baseVoiceId).toStartWith('en-')
    const broken = [...catalogue.voices, install('broken', 190)]
    expect((await enrol(speaker(205), broken, false)).baseVoiceId).toStartWith('en-')
    expect((await enrol(speaker(205), broken)).baseVoiceId).toBe('en-ivy')
  })

  it('measures only the first few voices of each gender of a model', async () => {
    const many = Array.from({ length: 300 }, (_, i) =>
      install(`many-${i}`, i === 299 ? 205 : 120 + (i % 3), { gender: 'female' }),
    )
    const fresh = startScheduler()
    try {
      const made = await enrol(speaker(205), [...catalogue.voices, ...many], true, fresh)
      expect(made.baseVoiceId).toStartWith('many-')
      expect(made.baseVoiceId).not.toBe('many-299')
    } finally {
      fresh.close()
    }
  })
})
