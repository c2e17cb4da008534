/** The demo of a clone and the guess of its language. */
import { speakingVoiceOfClone } from '../speak/speaking-voice'
import type { Deadline } from '../deadline'
import { AppError, type ErrorCode } from '../errors'
import type { Place } from '../workers/admission'
import type { RenderFault } from '../speak/render'
import { loadRendering } from '../speak/rendering'
import type { Catalogue } from '../voice/catalogue'
import type { Clone } from '../voice/clones'
import type { Cloning } from './cloning'

/**
 * Guesses the language from the script of the name, for example Chinese or Russian. Returns undefined for Latin
 * letters. The recording is not used: a guess from its sound was measured to be no better than chance.
 */
export async function languageOfName(catalogue: Catalogue, name: string): Promise<string | undefined> {
  const { scriptRuns } = await import('../speech/text/script')
  const letters = new Map<string, number>()
  for (const { script, text } of scriptRuns(name))
    if (script !== null) letters.set(script, (letters.get(script) ?? 0) + text.length)
  const [script] = [...letters].sort(([, a], [, b]) => b - a)[0] ?? []
  if (!script || letters.has('Latn')) return undefined
  const reader = catalogue.fallbackVoiceFor(catalogue.voices[0]!, script)
  return catalogue.find(reader.id)?.language
}

type DemoOptions = {
  /** Identifies the client in the fair queue. null: background work without a waiting client. */
  readonly queueKey: string | null
  readonly deadline: Deadline
  /** Place of the clone's request, which includes the demo. */
  readonly place?: Place
  readonly fault?: RenderFault
}

/**
 * Renders the demo sentence of the clone's language into the storage. Throws `voice_disabled`, `storage_failed`,
 * `rate_limited`, `shutting_down`, and `render_failed` for every other failure.
 */
export async function renderDemo(
  {
    scheduler,
    storage,
    catalogue,
    converter,
    mp3SampleRate,
  }: Pick<Cloning, 'scheduler' | 'storage' | 'catalogue' | 'converter' | 'mp3SampleRate'>,
  clone: Clone,
  options: DemoOptions,
): Promise<void> {
  const { spec, fallbackVoiceFor } = speakingVoiceOfClone({ catalogue, converter }, clone)
  const text = catalogue.cloneDemo(clone.language)
  const { renderToStorage } = await loadRendering()
  try {
    await renderToStorage(scheduler, storage, clone.demoName, {
      text,
      voice: spec,
      fallbackVoiceFor,
      speed: 1,
      format: 'mp3',
      mp3SampleRate,
      ...options,
    })
  } catch (error) {
    if (error instanceof AppError && passing.includes(error.code)) throw error
    throw new AppError('render_failed', 'The demo of the voice could not be made; nothing was charged. Try again.', {
      cause: error,
    })
  }
}

const passing: readonly ErrorCode[] = ['storage_failed', 'rate_limited', 'shutting_down']
