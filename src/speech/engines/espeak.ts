/**
 * eSpeak NG, compiled to JavaScript by Emscripten: Mandarin and every language but English. It keeps state between
 * calls, so its heap is put back to one snapshot before each; then the same text gives the same samples. Its
 * dictionaries are read out of the executable only when a language is first spoken.
 */
import { fromInt16, type Pcm } from '../../audio/pcm'
import { NoSpeech, type SpeechEngine, type VoiceSpec } from '../engine'
import { snapshotHeap } from '../espeak/heap'
import { openEspeak } from '../espeak/instance'

/** Longer than any utterance: a text that makes eSpeak NG talk this long is not speech any more. */
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
    const portions: Int16Array[] = []
    let frames = 0
    worker.synthesize(escapeMarkup(text), (portion) => {
      heap.observe()
      if (portion?.length) portions.push(portion)
      frames += portion?.length ?? 0
      return frames > outputSecondsMax * sampleRate
    })
    if (frames > outputSecondsMax * sampleRate) throw new NoSpeech('eSpeak NG talks without end')
    return { samples: fromInt16(concatenate(portions, frames)), sampleRate }
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

/** Text is text: eSpeak NG always reads SSML, so its markup characters are escaped. */
function escapeMarkup(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

function concatenate(portions: Int16Array[], frames: number): Int16Array {
  const all = new Int16Array(frames)
  let at = 0
  for (const portion of portions) {
    all.set(portion, at)
    at += portion.length
  }
  return all
}
