/**
 * `bun scripts/mandarin-voices.ts` makes the adaptations of the newer Mandarin voices: eSpeak NG's own Mandarin with the
 * average tract and color of the recordings in `../shared/speech/speakers`, and a human pitch. Prints the adaptations as in
 * `voices/catalogue.json`, and the distances of the old and the new voices to the recordings, on words that were not used
 * for fitting. Decodes with ffmpeg.
 */
import { join } from 'node:path'
import { percentile } from '../src/audio/analysis/percentile'
import { trackPitch } from '../src/audio/analysis/pitch'
import { tractRatio } from '../src/audio/analysis/tract'
import { normalizeLoudness } from '../src/audio/loudness'
import { concatenate, fromInt16, type Pcm } from '../src/audio/pcm'
import { trimSilence } from '../src/audio/trim'
import { adapt, unchanged } from '../src/cloning/adapt/adapt'
import type { Adaptation } from '../src/speech/voice'
import { fit, tuneColor } from '../src/cloning/adapt/fit'
import { measureVoice, round, type VoiceStatistics } from '../src/cloning/adapt/measure'
import { loadEngine } from '../src/speech/load-engine'
import type { SpeechEngine } from '../src/speech/engine'
import type { VoiceSpec } from '../src/speech/voice'
import { readCatalogue } from '../src/voice/catalogue'
import { decodeWith } from '../test/audio/files'
import { compareVoices, measureLikeness } from '../test/likeness'
import { textsOf } from './voice-texts'

const folder = join(import.meta.dir, '..', '..', 'shared', 'speech', 'speakers')
const women = [
  ...['zh_f_aishell_S0724.wav', 'en_f_libri1995.wav', 'en_f_libri3575.mp3', 'en_f_libri84.flac'],
  ...['en_f_lj.wav', 'en_f_vctk_p240.mp3'],
]
const men = ['en_m_jfk.flac', 'en_m_libri1320.mp3', 'en_m_librivox_sns.wav', 'en_m_vctk_p260.mp3']
/** Beyond these ratios eSpeak NG's vowels sound like other vowels. */
const tractLimits = { least: 0.84, most: 1.2 }

type Goal = {
  readonly id: string
  /** Recordings whose average is the target. */
  readonly speakers: readonly string[]
  readonly pitchHz: number
  /** Half of the distance between the 16th and 84th percentile, semitones. */
  readonly spread: number
  readonly hasAspiration: boolean
}

const goals: readonly Goal[] = [
  { id: 'zh-xue', speakers: women, pitchHz: 215, spread: 4, hasAspiration: true },
  { id: 'zh-tao', speakers: men, pitchHz: 122, spread: 3.6, hasAspiration: false },
]

/** Texts that were not used for fitting. */
const otherTexts = [
  '今天天气很好，我们一起去公园散步吧。',
  '请问，最近的地铁站怎么走？',
  '他每天早上七点起床，然后去学校上课。',
  '这本书我已经看了三遍，还是觉得很有意思。',
  '晚上我们打算在家里做饭，你想吃什么？',
  '我们明天早上八点去北京大学看老师。',
]

const recordings = new Map<string, Pcm>()

function recordingOf(file: string): Pcm {
  const sampleRate = 16_000
  const convert = ['-f', 's16le', '-ac', '1', '-ar', String(sampleRate), '-']
  const known = recordings.get(file)
  if (known) return known
  const { samples } = decodeWith(['ffmpeg', '-v', 'error', '-i', join(folder, file), ...convert])
  const pcm = { samples: fromInt16(samples), sampleRate }
  recordings.set(file, pcm)
  return pcm
}

async function say(engine: SpeechEngine, voice: VoiceSpec, texts: readonly string[]): Promise<Pcm[]> {
  const parts: Pcm[] = []
  for (const text of texts) parts.push(trimSilence(await engine.synthesize(voice, text)))
  return parts
}

/** The average voice of the speakers, with the pitch of the goal. */
function targetOf({ speakers, pitchHz, spread }: Goal): VoiceStatistics {
  const voices = speakers.map((file) => measureVoice(recordingOf(file)))
  const mean = (curves: (readonly number[])[]) =>
    curves[0]!.map((_, k) => round(curves.reduce((sum, curve) => sum + curve[k]!, 0) / curves.length, 2))
  return {
    pitchHz,
    pitchSpreadSemitones: spread,
    harmonicityDb: round(median(voices.map((voice) => voice.harmonicityDb)), 1),
    voicedDb: mean(voices.map((voice) => voice.voicedDb)),
    unvoicedDb: mean(voices.map((voice) => voice.unvoicedDb)),
    unvoicedSeconds: voices.reduce((sum, voice) => sum + voice.unvoicedSeconds, 0),
    envelope: {
      mean: mean(voices.map((voice) => voice.envelope.mean)),
      spread: mean(voices.map((voice) => voice.envelope.spread)),
    },
  }
}

/** Applies the adaptation to `raw`, the speech of the catalogue voice without its adaptation. */
function adaptationTo(goal: Goal, raw: Pcm): Adaptation {
  const base = measureVoice(raw)
  const target = targetOf(goal)
  const fitted = fit(target, base, tractLimits)
  const { pitch, tractRatio } = fitted
  const shifted = measureVoice(adapt(raw, { ...unchanged, pitch, tractRatio }))
  const tuned = tuneColor(fitted, target, base, { raw: base, shifted })
  return goal.hasAspiration ? tuned : { ...tuned, harmonicityDb: null }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2
}

/** From the 5th to the 95th percentile, semitones. */
function spanOf(pcm: Pcm, pitchHz: number): number {
  const { hz } = trackPitch(pcm, { minHz: pitchHz / 2, maxHz: pitchHz * 2, stepSeconds: 0.01 })
  const voiced = hz.filter((value) => value > 0)
  return 12 * Math.log2(percentile(voiced, 0.95) / percentile(voiced, 0.05))
}

function describe(id: string, spoken: Pcm, speakers: readonly string[]): string {
  const voice = measureVoice(spoken)
  const likeness = measureLikeness(spoken)
  const differences = speakers.map((file) => compareVoices(likeness, measureLikeness(recordingOf(file))))
  const ratios = speakers.map((file) => tractRatio(measureVoice(recordingOf(file)).envelope, voice.envelope).ratio)
  const cells = [
    `${Math.round(voice.pitchHz)} Hz`,
    `${spanOf(spoken, voice.pitchHz).toFixed(1)} st`,
    `${voice.harmonicityDb.toFixed(1)} dB`,
    `${median(differences.map(({ ltasDb }) => ltasDb)).toFixed(1)} dB`,
    median(differences.map(({ cepstral }) => cepstral)).toFixed(2),
    median(ratios).toFixed(2),
  ]
  return `| \`${id}\` | ${cells.join(' | ')} |`
}

const engine = await loadEngine('espeak')
const catalogue = readCatalogue()
const rows: string[] = []
for (const goal of goals) {
  const voice = catalogue.find(goal.id)!
  const old = catalogue.find(voice.gender === 'female' ? 'zh-mei' : 'zh-jun')!
  const adaptation = adaptationTo(goal, concatenate(await say(engine, voice, textsOf(voice.language))))
  console.log(JSON.stringify({ id: goal.id, adaptation }))
  const before = concatenate(await say(engine, old, otherTexts))
  const spoken = await say(engine, voice, otherTexts)
  const after = concatenate(spoken.map((part) => normalizeLoudness(adapt(part, adaptation))))
  for (const speakers of goal.speakers === women ? [women, women.slice(0, 1)] : [men]) {
    rows.push(describe(old.id, before, speakers), describe(goal.id, after, speakers))
  }
}
console.log('| Voice | Pitch | Span | Harmonicity | Spectrum | Cepstra | Tract |\n|---|---|---|---|---|---|---|')
for (const row of rows) console.log(row)
