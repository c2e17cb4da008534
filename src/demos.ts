/**
 * Demos of voices. The demo of a catalogue voice is rendered once, on the first request or, for the built-in voices of
 * a server that is not ephemeral, in the background. The demo of a clone is made with the clone, and again if it is missing. The model of an installed voice
 * is not loaded before the first request.
 */
import { renderDemo } from './clone/demo'
import { operationTimeoutsMs } from './config'
import { runWithin, startDeadline, type Deadline } from './deadline'
import { AppError } from './errors'
import type { Logger } from './log'
import type { Speaking } from './speak/speak'
import { loadRendering } from './speak/rendering'
import type { StoredFile } from './storage/storage'
import { demoName, type Catalogue, type CatalogueVoice } from './voice/catalogue'
import { findAnyClone } from './voice/clones'

export type Demos = ReturnType<typeof createDemos>

const cloneDemoPattern = /^demos\/(cv-[0-9a-f]{32})-/

export function createDemos(speaking: Speaking, log: Logger) {
  const { db, catalogue, scheduler, storage } = speaking
  let named: { voices: Catalogue['voices']; byName: ReadonlyMap<string, CatalogueVoice> } | undefined
  const rendering = new Map<string, Promise<void>>()
  let stopped = false

  const nameOf = (voice: CatalogueVoice) => demoName(voice, speaking.mp3SampleRate)

  function voiceOf(name: string): CatalogueVoice | undefined {
    const { voices } = catalogue
    if (named?.voices !== voices) named = { voices, byName: new Map(voices.map((voice) => [nameOf(voice), voice])) }
    return named.byName.get(name)
  }

  async function render(name: string, voice: CatalogueVoice, queueKey: string | null): Promise<void> {
    await storage.ensureSpace()
    const { renderToStorage } = await loadRendering()
    try {
      await renderToStorage(scheduler, storage, name, {
        text: voice.demo,
        voice,
        fallbackVoiceFor: (script) => catalogue.fallbackVoiceFor(voice, script),
        speed: 1,
        format: 'mp3',
        mp3SampleRate: speaking.mp3SampleRate,
        queueKey,
        deadline: startDeadline(operationTimeoutsMs.demo),
      })
    } catch (error) {
      // A request and the background may render the same demo; one of them then fails, but the file exists.
      if (!(await storage.find(name))) throw error
    }
  }

  /** A function that renders the demo `name`; undefined when no voice has such a demo. */
  function makerOf(name: string): (() => Promise<void>) | undefined {
    const voice = voiceOf(name)
    if (voice) return () => render(name, voice, 'demos')
    const id = cloneDemoPattern.exec(name)?.[1]
    const clone = id === undefined ? undefined : findAnyClone(db, id)
    if (clone?.demoName !== name || !catalogue.find(clone.baseVoiceId)) return undefined
    return async () => {
      await renderDemo(speaking, clone, { queueKey: 'demos', deadline: startDeadline(operationTimeoutsMs.demo) })
      // The clone may have been deleted or created again meanwhile.
      if (findAnyClone(db, clone.id)?.demoName !== name) await storage.remove(name)
    }
  }

  /** Renders for waiting requests. Concurrent requests for the same demo share one rendering. */
  function makeNow(name: string, make: () => Promise<void>): Promise<void> {
    let shared = rendering.get(name)
    if (!shared) {
      shared = make().finally(() => rendering.delete(name))
      rendering.set(name, shared)
    }
    return shared
  }

  return {
    /**
     * Finds the demo file `name`, and renders it if it is missing. Undefined when no voice has such a demo or the voice
     * cannot speak. Throws `synthesis_timeout` and the errors of rendering.
     */
    async find(name: string, deadline: Deadline): Promise<StoredFile | undefined> {
      const stored = await storage.find(name)
      const make = stored ? undefined : makerOf(name)
      if (!make) return stored
      try {
        await runWithin(deadline, makeNow(name, make), tookTooLong)
      } catch (error) {
        if (error instanceof AppError && error.code === 'voice_disabled') return undefined
        throw error
      }
      return storage.find(name)
    },

    /** Renders missing demos of built-in voices one by one, with background priority. */
    async renderMissing(): Promise<void> {
      for (const voice of catalogue.builtIn) {
        if (stopped) return
        const name = nameOf(voice)
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

function tookTooLong(): AppError {
  return new AppError('synthesis_timeout', 'The demo was not ready in time; try again.')
}
