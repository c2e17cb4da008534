/** Measures the executable's audio. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { durationSeconds, type Pcm } from '../../src/audio/pcm'
import { readCatalogue } from '../../src/voice/catalogue'
import { decodeWith, writeFile } from '../audio/files'
import { loudnessLufs, medianPitchHz, peakOf, pitchRatio, pitchSpanSemitones, readWav } from '../sound'
import { describeWith } from '../tools'
import { countEachWordErrors, recogniserTools, sentences, type WordErrors } from '../words'
import { startSonant, stopAndRemove, type Sonant } from './sonant'

let sonant: Sonant
beforeAll(async () => {
  sonant = await startSonant()
})
afterAll(() => stopAndRemove(sonant))

const text = 'The weather will be warm and sunny, so we plan to walk along the river bank.'

async function wav(body: Record<string, unknown>): Promise<Pcm> {
  return readWav((await sonant.speak({ format: 'wav', ...body })).audio)
}

async function voicesOf(language: string): Promise<string[]> {
  const { voices } = (await (await sonant.request('/api/v1/voices')).json()) as { voices: Record<string, string>[] }
  return voices.filter((voice) => voice.language!.startsWith(language)).map(({ id }) => id!)
}

describe('speech', () => {
  it('takes 40 to 110 ms per English character, at one level, without clipping, in every English voice', async () => {
    for (const voice_id of await voicesOf('en')) {
      const pcm = await wav({ text, voice_id })
      expect(pcm.sampleRate).toBe(44_100)
      expect((1000 * durationSeconds(pcm)) / text.length).toBeWithin(40, 110)
      expect(loudnessLufs(pcm)).toBeWithin(-21, -19)
      expect(peakOf(pcm)).toBeLessThan(0.95)
    }
  })

  it('has the same level in every language', async () => {
    const { voices } = (await (await sonant.request('/api/v1/voices')).json()) as { voices: Record<string, string>[] }
    const oneOfEach = [...new Map(voices.map(({ id, language }) => [language!, id!]))]
    expect(oneOfEach.length).toBeGreaterThan(40)
    const levels = await Promise.all(
      oneOfEach.map(async ([language, id]) => ({
        language,
        lufs: loudnessLufs(await wav({ text: '1, 2, 3, 4, 5.', voice_id: id })),
      })),
    )
    expect(levels.filter(({ lufs }) => lufs < -22 || lufs > -18)).toEqual([])
  })

  it('starts and ends at once, and quietly', async () => {
    const pcm = await wav({ text })
    const quiet = (samples: Float32Array) => samples.every((value) => Math.abs(value) < 0.02)
    const frames = (seconds: number) => Math.round(seconds * pcm.sampleRate)
    expect(quiet(pcm.samples.subarray(0, frames(0.002)))).toBe(true)
    expect(quiet(pcm.samples.subarray(-frames(0.002)))).toBe(true)
    expect(quiet(pcm.samples.subarray(0, frames(0.15)))).toBe(false)
    expect(quiet(pcm.samples.subarray(-frames(0.2)))).toBe(false)
  })

  it('pauses between sentences longer than between clauses', async () => {
    const longestPause = (pcm: Pcm) => {
      let [run, longest] = [0, 0]
      for (let i = 0; i < pcm.samples.length; i++) {
        run = Math.abs(pcm.samples[i]!) < 0.003 ? run + 1 : 0
        longest = Math.max(longest, run)
      }
      return (1000 * longest) / pcm.sampleRate
    }
    const none = longestPause(await wav({ text: 'We go home now' }))
    const sentence = longestPause(await wav({ text: 'We go home. Now we rest.' }))
    const paragraph = longestPause(await wav({ text: 'We go home.\n\nNow we rest.' }))
    expect(none).toBeLessThan(200)
    expect(sentence).toBeWithin(300, 500)
    expect(paragraph).toBeWithin(sentence + 200, 900)
  })

  it('is a short silence without pronounceable text', async () => {
    for (const nothing of ['...', '!?', '—', '\u{1FAE8}\u200d']) {
      const pcm = await wav({ text: nothing, voice_id: 'en-ross' })
      expect(durationSeconds(pcm)).toBeWithin(0.05, 1.5)
    }
    expect(peakOf(await wav({ text: '...' }))).toBe(0)
  })
})

describe('speed', () => {
  for (const voice_id of ['en-ross', 'en-clara', 'zh-mei'])
    it(`changes the length exactly and the pitch not at all (${voice_id})`, async () => {
      const spoken = voice_id.startsWith('zh') ? '今天天气很好，我们一起去公园散步吧。' : text
      const normal = await wav({ text: spoken, voice_id })
      for (const speed of [0.5, 0.75, 1.5, 2]) {
        const changed = await wav({ text: spoken, voice_id, speed })
        expect((durationSeconds(changed) * speed) / durationSeconds(normal)).toBeWithin(0.99, 1.01)
        expect(pitchRatio(normal, changed, speed)).toBeWithin(0.98, 1.02)
        expect(loudnessLufs(changed)).toBeWithin(-21.5, -18.5)
      }
    })

  it('scales the pauses too', async () => {
    const two = 'One sentence. Another sentence. A third one.'
    const [normal, fast] = [await wav({ text: two }), await wav({ text: two, speed: 2 })]
    expect((durationSeconds(fast) * 2) / durationSeconds(normal)).toBeWithin(0.99, 1.01)
  })
})

describe('Mandarin', () => {
  it('moves its pitch widely enough for the tones, in every voice', async () => {
    for (const voice_id of await voicesOf('zh'))
      expect(pitchSpanSemitones(await wav({ text: '我们明天早上八点去北京大学看老师。', voice_id }))).toBeGreaterThan(7)
  })

  it('has a female voice well above the male one', async () => {
    const hello = { text: '大家好，欢迎使用语音服务。' }
    for (const [female, male] of [
      ['zh-mei', 'zh-jun'],
      ['zh-xue', 'zh-tao'],
    ]) {
      const pitchHz = medianPitchHz(await wav({ ...hello, voice_id: female }))
      expect(pitchHz / medianPitchHz(await wav({ ...hello, voice_id: male }))).toBeGreaterThan(1.3)
    }
  })
})

describe('scripts the voice cannot read', () => {
  const mixed: [name: string, text: string, voice: string, without: string][] = [
    ['Chinese in an English text', 'He said 你好，我的朋友 to me.', 'en-ross', 'He said to me.'],
    ['English in a Chinese text', '我用iPhone打了3个call', 'zh-mei', '我用打了3个'],
    ['an English sentence in a Chinese text', '你好。This is a whole sentence in English.', 'zh-mei', '你好。'],
    ['Russian in an English text', 'They say привет, как дела every day.', 'en-clara', 'They say every day.'],
    ['Greek and Arabic in a German text', 'Er sagte καλημέρα und مرحبا zu uns.', 'de-greta', 'Er sagte und zu uns.'],
    ['Thai in an English text', 'The word is สวัสดี here.', 'en-ross', 'The word is here.'],
    ['Tibetan, which no voice reads', 'The word is བོད here.', 'en-ross', 'The word is here.'],
  ]
  it.each(mixed)('are spoken by a fallback voice: %s', async (_name, text, voice_id, without) => {
    const whole = await wav({ text, voice_id })
    const rest = await wav({ text: without, voice_id })
    expect(durationSeconds(whole)).toBeGreaterThan(durationSeconds(rest) + 0.3)
    expect(loudnessLufs(whole)).toBeWithin(-21.5, -18.5)
  })
})

describe('determinism', () => {
  it('gives 64 parallel requests the bytes that each gets alone', async () => {
    const bodies = Array.from({ length: 64 }, (_, i) => ({
      text: `${['Hello', '你好', 'Guten Tag', 'Привет'][i % 4]} ${i}. ${sentences[i % sentences.length]!.split(' ', 2).join(' ')}`,
      voice_id: ['en-ross', 'zh-mei', 'de-karl', 'ru-vera', 'en-kevin'][i % 5]!,
      speed: [1, 1, 1.25][i % 3]!,
      format: i % 7 === 0 ? 'wav' : 'mp3',
    }))
    const together = await Promise.all(bodies.map((body) => sonant.speak(body)))
    for (const [i, body] of bodies.entries()) {
      const alone = await sonant.speak(body)
      expect([i, Bun.hash(alone.audio)]).toEqual([i, Bun.hash(together[i]!.audio)])
    }
  })

  it('gives the same bytes after a restart', async () => {
    const other = await startSonant({ flags: ['--workers', '1'] })
    for (const body of [{ text }, { text: '今天天气很好。', voice_id: 'zh-jun' }]) {
      const [here, there] = [await sonant.speak(body), await other.speak(body)]
      expect(Bun.hash(there.audio)).toBe(Bun.hash(here.audio))
    }
    await stopAndRemove(other)
  })
})

describe('--mp3-sample-rate', () => {
  it('is the rate of every frame, whatever the voice’s own', async () => {
    const other = await startSonant({ flags: ['--mp3-sample-rate', '44100'] })
    for (const voice_id of ['en-ross', 'zh-mei']) {
      const spoken = { text: '1, 2, 3.', voice_id }
      expect(new Set(frameSampleRates((await other.speak(spoken)).audio))).toEqual(new Set([44_100]))
      expect(frameSampleRates((await sonant.speak(spoken)).audio)).not.toContain(44_100)
    }
    await stopAndRemove(other)
  })
})

/**
 * Sample rate of each frame of an mp3, from the headers, in Hz. ISO/IEC 11172-3, 2.4.1.3; 13818-3 for the half rates.
 */
function frameSampleRates(mp3: Uint8Array): number[] {
  const rates: number[] = []
  for (let at = 0; at < mp3.length;) {
    const [sync, kind, format] = mp3.subarray(at, at + 3) as unknown as [number, number, number]
    if (sync !== 0xff || kind >> 5 !== 7) throw new Error(`no frame at ${at}`)
    const isFull = ((kind >> 3) & 3) === 3
    const rate = [44_100, 48_000, 32_000][(format >> 2) & 3]! / (isFull ? 1 : 2)
    const kbps = (isFull ? fullRateKbps : halfRateKbps)[format >> 4]!
    at += Math.floor(((isFull ? 144_000 : 72_000) * kbps) / rate) + ((format >> 1) & 1)
    rates.push(rate)
  }
  return rates
}
const fullRateKbps = [NaN, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const halfRateKbps = [NaN, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

for (const [tool, command] of [
  ['ffmpeg', (path: string) => ['ffmpeg', '-v', 'error', '-i', path, '-f', 's16le', '-']],
  ['mpg123', (path: string) => ['mpg123', '-q', '-s', '--no-resync', path]],
] as const)
  describeWith(tool, `mp3 by ${tool}`, () => {
    it('decodes to exactly as many samples as the wav has, at the engine’s rate', async () => {
      for (const [voice_id, spoken, sampleRate] of [
        ['en-ross', text, 16_000],
        ['zh-mei', '你好，世界。今天天气很好。', 22_050],
      ] as const) {
        const pcm = await wav({ text: spoken, voice_id })
        const { audio } = await sonant.speak({ text: spoken, voice_id })
        const { samples } = decodeWith(command(await writeFile(audio, '.mp3')))
        expect(samples.length).toBeWithin(
          Math.floor(durationSeconds(pcm) * sampleRate) - 2,
          Math.ceil(durationSeconds(pcm) * sampleRate) + 3,
        )
      }
    })
  })

describeWith(recogniserTools, 'intelligibility by pocketsphinx', () => {
  const adapted = readCatalogue().voices.filter(({ language, adaptation }) => language.startsWith('en') && adaptation)
  let counts: readonly WordErrors[]
  beforeAll(async () => {
    /** One voice in turn per sentence. */
    const render = (voiceIds: readonly (string | null)[]) =>
      Promise.all(
        sentences.map(async (said, i) => {
          return (await sonant.speak({ text: said, voice_id: voiceIds[i % voiceIds.length], format: 'wav' })).audio
        }),
      )
    const renderings = [await render([null]), await render(adapted.map(({ id }) => id))]
    counts = await countEachWordErrors(renderings, sentences)
  }, 300_000)

  it('is at most 6 % word errors for the default voice', () => {
    expect(counts[0]!.words).toBeGreaterThan(200)
    expect(counts[0]!.percent).toBeLessThanOrEqual(6)
  })

  it('is at most 8 % word errors for the adapted voices, one in turn per sentence', () => {
    expect(adapted.length).toBeGreaterThan(5)
    expect(counts[1]!.words).toBe(counts[0]!.words)
    expect(counts[1]!.percent).toBeLessThanOrEqual(8)
  })
})
