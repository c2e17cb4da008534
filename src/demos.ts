/** The demos of the catalogue voices: each is rendered once, when first asked for or while nobody needs the workers. */
import type { Logger } from './log'
import { loadRendering, type Speaking } from './speak'
import type { StoredFile } from './storage/storage'
import { demoName, type CatalogueVoice } from './voice/catalogue'

export type Demos = ReturnType<typeof createDemos>

export function createDemos(speaking: Speaking, log: Logger) {
  const { catalogue, pool, storage } = speaking
  const byName = new Map(catalogue.voices.map((voice) => [demoName(voice, speaking.mp3SampleRate), voice]))
  const rendering = new Map<string, Promise<void>>()
  let stopped = false

  async function render(name: string, voice: CatalogueVoice, queueKey: string | null): Promise<void> {
    await storage.ensureSpace()
    const { renderToStorage } = await loadRendering()
    try {
      await renderToStorage(pool, storage, name, {
        text: voice.demo,
        voice,
        companionFor: (script) => catalogue.companionFor(voice, script),
        speed: 1,
        format: 'mp3',
        mp3SampleRate: speaking.mp3SampleRate,
        queueKey,
        timeoutMs: speaking.requestTimeoutMs,
      })
    } catch (error) {
      // The same demo may have been rendered meanwhile, for somebody who waits and in the background.
      if (!(await storage.find(name))) throw error
    }
  }

  /** For somebody who waits: all who ask for the same demo share one rendering. */
  function renderNow(name: string, voice: CatalogueVoice): Promise<void> {
    let shared = rendering.get(name)
    if (!shared) {
      shared = render(name, voice, 'demos').finally(() => rendering.delete(name))
      rendering.set(name, shared)
    }
    return shared
  }

  return {
    /** The demo file of that name, rendered now if need be; undefined when no voice has such a demo. */
    async find(name: string): Promise<StoredFile | undefined> {
      const voice = byName.get(name)
      const stored = await storage.find(name)
      if (stored || !voice) return stored
      await renderNow(name, voice)
      return storage.find(name)
    },

    /** Renders what is missing, one after the other, behind everything else. */
    async renderMissing(): Promise<void> {
      for (const [name, voice] of byName) {
        if (stopped) return
        try {
          if (!(await storage.find(name))) await render(name, voice, null)
        } catch (error) {
          if (!stopped) log.warn({ voice: voice.id, error: String(error) }, 'demo not rendered')
        }
      }
    },

    stop(): void {
      stopped = true
    },
  }
}
