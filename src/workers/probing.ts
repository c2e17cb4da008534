/**
 * Probes packs, each in its own process with a kernel memory limit that depends on the pack's size. All concurrent
 * probes share one memory budget.
 */
import { limits, type NeuralSettings } from '../config'
import { runIsolated } from './isolated'
import type { Compute } from './compute'
import { loadingFactor } from './pool/models'
import { BadPack, type Pack } from '../speech/models/pack'
import { estimateMemoryBytes } from '../packs/memory'
import { takeSnapshot } from '../speech/models/snapshot'
import type { ConvolutionForm } from '../speech/voice'
import { writeRuntimeOptions } from '../speech/onnx/runtime-options'
import { succeeded } from './task-failed'
import { WorkerGone, type GoneReason, type WorkerCommand } from './worker-process'

/**
 * Probes the pack in `directory`. `convolutions`: the form to keep; undefined: to be chosen. Throws `BadPack`, or `Error`
 * when the process fails.
 */
export type ProbePack = (directory: string, signal?: AbortSignal, convolutions?: ConvolutionForm) => Promise<Pack>

export function createProbe({
  command,
  neural,
  compute,
  rate,
}: {
  command: WorkerCommand
  neural: Pick<NeuralSettings, 'modelMemoryBytes'>
  compute: Pick<Compute, 'runtime'>
  /** Adds the pace to a probed pack. `realTimeFactor`: on the CPU. */
  rate: (pack: Pack, realTimeFactor: number) => Promise<Pack>
}): ProbePack {
  const { modelMemoryBytes } = neural
  const budget = createBudget(limits.packProbesMin * limits.workerMemoryMaxBytes + loadingFactor * modelMemoryBytes)

  return async (directory, signal, kept) => {
    const { sizeBytes = 0 } = (await takeSnapshot(directory)) ?? {}
    // File sizes bound the number of parameters; a model that needs more memory than that is no voice.
    const expectedBytes = Math.min(modelMemoryBytes, estimateMemoryBytes([{ parameterBytes: sizeBytes }]))
    const memoryMaxBytes = limits.workerMemoryMaxBytes + loadingFactor * expectedBytes
    // Probe on the CPU: the limit would count a GPU driver's memory as the model's.
    const runtime = await compute.runtime('cpu')
    const release = await budget.take(memoryMaxBytes)
    try {
      const probe = async (convolutions?: ConvolutionForm) => {
        const task = { kind: 'probe', directory, memoryMaxBytes: modelMemoryBytes, convolutions } as const
        const outcome = await runIsolated(task, {
          command,
          memoryMaxBytes,
          threads: runtime.threads,
          environment: writeRuntimeOptions(runtime),
          timeoutMs: limits.modelLoadTimeoutMs,
          signal,
        }).catch(explain)
        return succeeded({ outcome })
      }
      let probed = await probe(kept)
      // Another process, because the forms that were compared would count as memory of the model.
      if ('convolutions' in probed) probed = await probe(probed.convolutions)
      if ('reason' in probed) throw new BadPack(probed.reason)
      if ('convolutions' in probed) throw new Error('the form of the convolutions was chosen twice')
      return await rate(probed.pack, probed.realTimeFactor)
    } finally {
      release()
    }
  }
}

const fates: Record<GoneReason, string> = {
  died: 'its process crashed',
  unresponsive: 'its process did not begin',
  timeout: `it took longer than ${limits.modelLoadTimeoutMs / 1000} s`,
  memory: 'it took more memory than a model of its size may have',
}

function explain(error: unknown): never {
  throw error instanceof WorkerGone ? new Error(fates[error.reason], { cause: error }) : error
}

/** A budget of `bytes`. Requests beyond it wait in order. */
function createBudget(bytes: number) {
  const waiting: { readonly sizeBytes: number; readonly begin: () => void }[] = []
  let freeBytes = bytes

  function pump(): void {
    while (waiting[0] && waiting[0].sizeBytes <= freeBytes) {
      const { sizeBytes, begin } = waiting.shift()!
      freeBytes -= sizeBytes
      begin()
    }
  }

  return {
    /** Returns a function that releases the bytes. `sizeBytes` must not exceed the whole budget. */
    async take(sizeBytes: number): Promise<() => void> {
      const turn = Promise.withResolvers<void>()
      waiting.push({ sizeBytes, begin: turn.resolve })
      pump()
      await turn.promise
      return () => {
        freeBytes += sizeBytes
        pump()
      }
    },
  }
}
