/** Worker processes for verbs that make sound without a server. */
import { availableParallelism } from 'node:os'
import type { RawSettings } from '../config'
import { createLogger } from '../log'
import { createSpeechWorkers } from '../workers/speech-workers'
import { readServerConfig } from './server-config'
import { ownCommand } from './own-command'

/** `flags`: the flags of the verb, with its data directory. */
export async function createCliSpeech(flags: RawSettings) {
  const config = await readServerConfig({ data: flags.data })
  const options = { command: ownCommand('worker'), jobsMax: 1, providerOf: () => undefined, log: createLogger('warn') }
  return createSpeechWorkers({ ...config, workers: availableParallelism() }, options)
}

export async function createCliScheduler(flags: RawSettings) {
  return (await createCliSpeech(flags)).scheduler
}
