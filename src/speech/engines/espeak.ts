/**
 * eSpeak NG, compiled to JavaScript by Emscripten: Mandarin and every language but English. It keeps state between
 * calls, so its heap is restored from one snapshot before each call. The same text then gives the same samples. A
 * language's dictionaries are read from the executable on first use.
 */
import { fromInt16, type Pcm } from '../../audio/pcm'
import { NoSpeech, type SpeechEngine } from '../engine'
import type { VoiceSpec } from '../voice'
import { snapshotHeap } from '../espeak/heap'
import { openEspeak } from '../espeak/instance'

/** Longer than any utterance; a text that exceeds it makes eSpeak NG loop. */
const outputSecondsMax = 120
const defaults = { pitch: 50, pitchRange: 50, wordsPerMinute: 165 }

export async function loadEspeak(): Promise<SpeechEngine> {
  const { module, worker, files } = await openEspeak()
  const heap = snapshotHeap(module)
  const sampleRate = worker.get_samplerate()

  function speak(voice: VoiceSpec, text: string): Pcm {
    const { voice: name, pitch, pitchRange, wordsPerMinute } = { ...defaults, ...voice.settings }
    if (worker.set_voice(name) !== 0) throw new Error(`eSpeak NG has no voice ${name}`)
    worker.set_rate(wordsPerMinute)
    worker.set_pitch(pitch)
    worker.set_range(pitchRange)
    const chunks: Int16Array[] = []
    let frames = 0
    worker.synthesize(escapeMarkup(text), (chunk) => {
      heap.observe()
      if (chunk?.length) chunks.push(chunk)
      frames += chunk?.length ?? 0
      return frames > outputSecondsMax * sampleRate
    })
    if (frames > outputSecondsMax * sampleRate)
      throw new NoSpeech(`eSpeak NG did not stop after ${outputSecondsMax} s of speech`)
    return { samples: fromInt16(concatenate(chunks, frames)), sampleRate }
  }

  return {
    async synthesize(voice, text) {
      for (;;) {
        heap.restore()
        const pcm = speak(voice, text)
        if (await files.fillOpened()) continue
        files.letGo()
        return pcm
      }
    },
  }
}

/** eSpeak NG always parses SSML, so the markup characters of plain text are escaped. */
function escapeMarkup(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

function concatenate(chunks: Int16Array[], frames: number): Int16Array {
  const all = new Int16Array(frames)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
