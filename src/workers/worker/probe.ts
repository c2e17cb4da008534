/** The task of a worker that probes a pack. */
import { BadPack } from '../../speech/models/pack'
import type { Probed, Task } from '../protocol'
import { loadRuntime } from './runtime'

/** Answers with a `reason` when the pack is bad. Throws any other error. */
export async function probe({ directory, memoryMaxBytes }: Task<'probe'>): Promise<Probed> {
  const { probePack } = await import('../../packs/probe')
  try {
    return await probePack(directory, { runtime: loadRuntime, memoryMaxBytes })
  } catch (error) {
    if (error instanceof BadPack) return { reason: error.message }
    throw error
  }
}
