/**
 * Measures voices again whose speed refused a text. Without it, a speed that was measured while the machine was busy
 * could refuse all texts for ever: a refused text measures nothing.
 */
import { countPronounced } from '../speech/text/normalize'
import { tuningTexts } from '../speech/tuning-texts'
import type { VoiceSpec } from '../speech/voice'
import type { Job } from '../workers/job'
import { utteranceMeasure } from '../workers/measures'
import type { Scheduler } from '../workers/scheduler'

/** Time between two measurements of a voice. */
const restMs = 300_000

type Measuring = Pick<Scheduler, 'speeds' | 'openJob' | 'log'>

/** A probe measures processor time. It may find a model slower than it is, but by no more than this factor. */
const probeErrorMax = 4

/** When each voice was measured last, by the name of its measure. */
const measurements = new WeakMap<Measuring['speeds'], Map<string, number>>()

/**
 * Speaks a few words in the background with each voice that was probed, but not measured by requests lately. `speed`: of
 * the refused text; `share`: the part of it that would fit. Resolves when it is done, or failed.
 */
export async function measureAgain(
  scheduler: Measuring,
  voices: Iterable<VoiceSpec>,
  { speed, share }: { readonly speed: number; readonly share: number },
): Promise<void> {
  const { speeds, log } = scheduler
  const measured = measurements.get(speeds) ?? new Map<string, number>()
  measurements.set(speeds, measured)
  for (const voice of voices) {
    const { name, prior } = utteranceMeasure(voice, 0, speed)
    const nowMs = performance.now()
    const mayBeWrong = speeds.isTimed(name) || share * probeErrorMax >= 1
    if (!prior || !mayBeWrong || speeds.isKnown(name) || nowMs - (measured.get(name) ?? -Infinity) < restMs) continue
    measured.set(name, nowMs)
    const job = scheduler.openJob({ key: '', background: true })
    try {
      await synthesizeClauses(job, voice, speed)
    } catch (error) {
      log.warn({ voice: voice.id, error: String(error) }, 'the speed of a voice could not be measured')
    } finally {
      job.end()
    }
  }
}

/** Clauses are short, so a request that comes meanwhile waits for one of them only. */
async function synthesizeClauses(job: Job, voice: VoiceSpec, speed: number): Promise<void> {
  const { language, sampleRate } = voice
  const [text] = tuningTexts(language)[0]!.split(/[,，、]/)
  const counts = countPronounced(text!, language)
  // The first run in a process loads code and is not learned.
  for (let run = 0; run < runs; run++)
    await job.synthesize({ kind: 'synthesize', voice, text: text!, ...counts, sampleRate, speed, pauseMs: 0 })
}

const runs = 4
