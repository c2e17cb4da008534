/** `/readyz`, and the compute providers for administrators. */
import { explainDefault } from '../voice/default-voice'
import type { SpeechWorkers } from '../workers/speech-workers'
import type { HttpContext } from './context'
import type { Handlers } from './routes'

export function computeHandlers({ speech, speaking: { storage, catalogue, plans } }: HttpContext) {
  return {
    async getReadiness() {
      // A disk that cannot be checked counts as full.
      const isFull = await storage.isFull().catch(() => true)
      return {
        ok: true,
        compute: describeCompute(speech),
        default_voice: explainDefault(catalogue, plans),
        ...(isFull && { storage: 'full' }),
      }
    },

    showCompute: () => describe(speech),
  } satisfies Partial<Handlers>
}

/** null before the first use of a neural voice. */
export function describeCompute({ compute: { found } }: SpeechWorkers) {
  return found ? { provider: found.provider, fallback: found.isFallback } : null
}

function describe({ compute: { found }, scheduler }: SpeechWorkers) {
  return {
    compute: found
      ? {
          provider: found.provider,
          device: found.device,
          fallback: found.isFallback,
          threads: found.threads,
          trials: found.trials.map(({ provider, failure, durationMs, runMs }) => {
            return { provider, failure, duration_ms: durationMs, run_ms: runMs }
          }),
        }
      : null,
    models: scheduler
      .models()
      .map(({ name, processes, memoryBytes }) => ({ name, processes, memory_bytes: memoryBytes })),
    admitted_seconds: scheduler.status().admittedSeconds,
  }
}
