/** The task of a worker that probes a pack. */
import { BadPack } from '../../speech/models/pack'
import type { Probed, Task } from '../protocol'
import { loadRuntime } from './runtime'

/**
 * Answers with a form of the convolutions when the model has a choice that the task leaves open, and with a `reason` when
 * the pack is bad. Throws any other error.
 */
export async function probe({ directory, memoryMaxBytes, convolutions }: Task<'probe'>): Promise<Probed> {
  const { chooseConvolutions, probePack } = await import('../../packs/probe')
  const options = { runtime: loadRuntime, memoryMaxBytes }
  try {
    const chosen = convolutions === undefined ? await chooseConvolutions(directory, options) : undefined
    if (chosen !== undefined) return { convolutions: chosen }
    return await probePack(directory, { ...options, convolutions })
  } catch (error) {
    if (error instanceof BadPack) return { reason: error.message }
    throw error
  }
}
