/**
 * The code of a worker process. It runs the tasks of its parent one at a time and exits when the parent does.
 * Synthesis, loudness, speed, resampling and encoding happen here; the main process only carries bytes.
 */
import { followParent } from '../process/parent'
import { loadEngineOf } from '../speech/load-engine'
import { chunkFramesMax, type FromWorker, type TaskOutcome, type Task, type TaskKind } from './protocol'
import { createEngines, type Engines, type LoadEngine } from './worker/engines'
import { enrolVoice, measureInstalled } from './worker/enrol'
import { createGarbageCollector } from './worker/garbage'
import { createEncodeStreams } from './worker/encode-streams'
import { failureOf, inStage, type Performed } from './worker/performed'
import { probe } from './worker/probe'
import { loadRuntime, runTrial } from './worker/runtime'
import { performBatch, performSynthesis, warm } from './worker/synthesize'

/** Serves tasks until the parent process exits. Tests replace the engines with `load`. */
export function runWorker(load: LoadEngine = (voice) => loadEngineOf(voice, loadRuntime)): void {
  followParent()
  const garbage = createGarbageCollector()
  const engines = createEngines(async (voice) => {
    const engine = await load(voice)
    if (voice.engine !== 'flite' && voice.engine !== 'espeak') garbage.allowModel()
    return engine
  })
  const performers = createPerformers(engines, garbage)
  process.on('message', async (task: Task) => {
    send({ type: 'begun' })
    const outcome = await (task.kind === 'batch' ? runBatch(engines, task) : complete(perform(performers, task)))
    send({ type: 'ended', outcome })
    garbage.collect()
  })
  send({ type: 'ready' })
}

/** Every kind but batches, whose utterances end one by one. */
type SingleKind = Exclude<TaskKind, 'batch'>

type Performers = { readonly [K in SingleKind]: (task: Task<K>) => Promise<Performed<K>> }

function createPerformers(engines: Engines, garbage: ReturnType<typeof createGarbageCollector>): Performers {
  const streams = createEncodeStreams()
  return {
    synthesize: (task) => performSynthesis(engines, task),
    encode: async (task) => ({ answer: await inStage('encode', () => streams.encode(task)) }),
    async abandon({ stream }) {
      streams.abandon(stream)
      return { answer: undefined }
    },
    enrol: async (task) => ({ answer: await inStage('enrol', () => enrolVoice(engines, task)) }),
    measure: async ({ voice }) => ({ answer: await inStage('enrol', () => measureInstalled(engines, voice)) }),
    analyze: (task) =>
      inStage('analyze', async () => (await import('./worker/analyze-recording')).analyzeRecording(task)),
    probe: async (task) => ({ answer: await probe(task) }),
    async load({ voice }) {
      await inStage('synthesize', () => engines.load(voice))
      garbage.allowModel()
      return { answer: undefined }
    },
    async warm({ voice }) {
      await warm(engines, voice)
      return { answer: undefined }
    },
    try: async () => ({ answer: await inStage('synthesize', runTrial) }),
  }
}

function perform<K extends SingleKind>(performers: Performers, task: Task<K>): Promise<Performed<K>> {
  return performers[task.kind](task)
}

async function runBatch(engines: Engines, batch: Task<'batch'>): Promise<TaskOutcome<'batch'>> {
  const items: TaskOutcome<'synthesize'>[] = []
  for (const [item, work] of (await performBatch(engines, batch)).entries()) items.push(await complete(work(), item))
  return { ok: true, answer: items }
}

/** Sends the audio of a task in chunks, and returns its outcome. `item`: index in the batch. */
async function complete<K extends TaskKind>(work: Promise<Performed<K>>, item = 0): Promise<TaskOutcome<K>> {
  try {
    const { samples, answer } = await work
    for (let at = 0; samples && at < samples.length; at += chunkFramesMax)
      send({ type: 'chunk', samples: samples.slice(at, at + chunkFramesMax), item })
    return { ok: true, answer }
  } catch (error) {
    return failureOf(error)
  }
}

function send(message: FromWorker): void {
  process.send!(message)
}
