/** Utterances that an engine does not speak, with scripted engines. */
import { describe, expect, it } from 'bun:test'
import type { VoiceSpec } from '../../src/speech/voice'
import type { Sound } from '../../src/workers/job'
import type { SynthesizeTask, UnspokenReason } from '../../src/workers/protocol'
import { TaskFailed } from '../../src/workers/task-failed'
import { countPronounced } from '../../src/speech/text/normalize'
import type { Utterance } from '../../src/speech/text/plan'
import type { ReadingVoice } from '../../src/speech/text/reading-voice'
import { createUtterer } from '../../src/speak/utter'

const sampleRate = 1000
const letterFrames = 10
const pauseFrames = 150

const voiceOf = (id: string, language: string): VoiceSpec => {
  return { id, engine: 'vits', language, sampleRate, settings: { voice: id } }
}
const russian = voiceOf('russian', 'ru-RU')
const english = voiceOf('english', 'en-US')

/** `fails`: the reason why a voice does not speak a text; undefined if it does. */
function setUp(fails: (text: string, voice: string) => UnspokenReason | 'broken' | undefined) {
  const asked: string[] = []
  const job = {
    async synthesize({ voice, text, pauseMs }: SynthesizeTask): Promise<Sound> {
      asked.push(`${voice.id}: ${text}`)
      const failure = fails(text, voice.id)
      if (failure === 'broken') throw new TaskFailed('synthesize', 'the engine broke')
      if (failure) throw new TaskFailed('synthesize', 'no speech', failure)
      const frames = text.length * letterFrames
      const words = [{ text, startSeconds: 0, endSeconds: frames / sampleRate }]
      return { chunks: [new Int16Array(frames + pauseMs)], words }
    },
  }
  const asReadingVoice = ({ id, language }: VoiceSpec): ReadingVoice => ({ id, language, charactersMax: 300 })
  const voices = new Map([russian, english].map((voice) => [voice.id, voice]))
  const cast = { voices, asReadingVoice, fallbackVoiceFor: () => asReadingVoice(english) }
  return { asked, utterer: createUtterer(job, cast, { sampleRate, speed: 1 }) }
}

function utteranceOf(text: string, { id, language } = russian): Utterance {
  return { voiceId: id, text, language, ...countPronounced(text, language), pauseMs: 0 }
}

const framesOf = ({ chunks }: Sound) => chunks.reduce((sum, { length }) => sum + length, 0)

describe('an utterance', () => {
  it('is one task if the engine speaks it', async () => {
    const { asked, utterer } = setUp(() => undefined)
    expect(framesOf(await utterer.utter(utteranceOf('Привет, мир.')))).toBe(120)
    expect(asked).toEqual(['russian: Привет, мир.'])
    expect(utterer.leftOut).toBe(0)
  })

  it('keeps all words and times except the word that the engine is mute on', async () => {
    const { utterer } = setUp((text) => (text.includes('ѣ') ? 'absent' : undefined))
    const sound = await utterer.utter(utteranceOf('раз два ѣ три'))
    expect(sound.words).toEqual([
      { text: 'раз два', startSeconds: 0, endSeconds: 0.07 },
      { text: 'три', startSeconds: 0.22, endSeconds: 0.25 },
    ])
    expect(framesOf(sound)).toBe(100 + pauseFrames)
    expect(utterer.leftOut).toBe(1)
  })

  it('becomes a short pause if the engine speaks none of it but speaks a plain sentence', async () => {
    const { asked, utterer } = setUp((text) => (/^[ѣ ]+$/.test(text) ? 'absent' : undefined))
    expect(framesOf(await utterer.utter(utteranceOf('ѣ')))).toBe(pauseFrames)
    expect(framesOf(await utterer.utter(utteranceOf('ѣѣ')))).toBe(2 * pauseFrames)
    expect(asked.filter((each) => !each.includes('ѣ'))).toHaveLength(1)
  })

  it('fails if the engine does not speak a plain sentence either', async () => {
    const { asked, utterer } = setUp(() => 'absent')
    await expect(utterer.utter(utteranceOf('ѣ'))).rejects.toThrow('no speech')
    expect(asked).toHaveLength(2)
  })

  it('fails if the engine is mute on a word of ASCII letters, even if it speaks other text', async () => {
    const { utterer } = setUp((text) => (text.includes('hello') ? 'absent' : undefined))
    await utterer.utter(utteranceOf('Привет.'))
    await expect(utterer.utter(utteranceOf('Привет, hello'))).rejects.toThrow('no speech')
  })

  it('fails at once if the engine breaks', async () => {
    const { asked, utterer } = setUp((text) => (text.includes('ѣ') ? 'broken' : undefined))
    await utterer.utter(utteranceOf('Привет.'))
    await expect(utterer.utter(utteranceOf('раз ѣ'))).rejects.toThrow('the engine broke')
    expect(asked).toHaveLength(2)
  })

  it('is spoken by the fallback voice if the voice knows no symbol of it', async () => {
    const { asked, utterer } = setUp((text, voice) => (voice === 'russian' && /^\d/.test(text) ? 'unknown' : undefined))
    expect(framesOf(await utterer.utter({ ...utteranceOf('12'), pauseMs: 350 }))).toBe(60 + 350)
    expect(asked.at(-1)).toBe('english: twelve')
    expect(utterer.leftOut).toBe(0)
  })
})
