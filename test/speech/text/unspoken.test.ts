/** No character makes a text fail: a voice speaks it, or it is named by its script, or left out. */
import { afterAll, describe, expect, it } from 'bun:test'
import { join } from 'node:path'
import { startDeadline } from '../../../src/deadline'
import { createLogger } from '../../../src/log'
import type { Sound } from '../../../src/workers/job'
import { createScheduler, type Scheduler } from '../../../src/workers/scheduler'
import type { SynthesizeTask } from '../../../src/workers/protocol'
import { render } from '../../../src/speak/render'
import { planUtterances } from '../../../src/speech/text/plan'
import type { ReadingVoice } from '../../../src/speech/text/reading-voice'
import { alphabetOf, type UnspokenTable, unspokenIn } from '../../../src/speech/text/unspoken'
import table from '../../../src/speech/text/unspoken.json'
import type { VoiceSpec } from '../../../src/speech/voice'
import { readCatalogue } from '../../../src/voice/catalogue'
import { random, seeded } from '../../random'
import { modelOptions } from '../../workers/model-options'

const catalogue = readCatalogue()
const english = catalogue.find('en-kevin')!
const mandarin = catalogue.find('zh-mei')!

const asReadingVoice = (voice: VoiceSpec): ReadingVoice => {
  return { id: voice.id, language: voice.language, charactersMax: 300, alphabet: alphabetOf(voice) }
}

/** A plan and its voices. */
function planOf(text: string, main: VoiceSpec) {
  const voices = new Map([[main.id, asReadingVoice(main)]])
  const utterances = planUtterances(text, asReadingVoice(main), (script) => {
    const fallback = asReadingVoice(catalogue.fallbackVoiceFor(main, script))
    voices.set(fallback.id, fallback)
    return fallback
  })
  return utterances.map((utterance) => ({ ...utterance, voice: voices.get(utterance.voiceId)! }))
}

const readingsOf = (text: string, main: VoiceSpec) =>
  planOf(text, main).map(({ voiceId, text: reading }) => `${voiceId}: ${reading}`)

function assigned(pattern: RegExp): string[] {
  const characters: string[] = []
  for (let codePoint = 0x80; codePoint <= 0x10ffff; codePoint++) {
    const character = String.fromCodePoint(codePoint)
    if (pattern.test(character)) characters.push(character)
  }
  return characters
}
const pronounced = assigned(/[\p{L}\p{M}\p{N}]/u)

describe('the table of unspoken characters', () => {
  it('has the Unicode version of this runtime', () => {
    expect((table as UnspokenTable).unicode).toBe(process.versions.unicode!)
  })

  it('has a row for every built-in voice and fallback', () => {
    const scripts = ['Latn', 'Hani', 'Kana', 'Hang', 'Cyrl', 'Grek', 'Arab', 'Hebr', 'Deva', 'Mymr', 'Thai', 'Zzzz']
    const voices = [...catalogue.builtIn, ...scripts.map((script) => catalogue.fallbackVoiceFor(english, script))]
    const missing = voices.filter((voice) => !Object.hasOwn(table.alphabets, alphabetOf(voice)!))
    expect(missing.map(({ id }) => id)).toEqual([])
  })
})

describe('the route of every letter, mark and number', () => {
  it.each([english, mandarin])('ends at a voice that says something of it, for $id', (main) => {
    const silent: string[] = []
    const leftOut: string[] = []
    const check = (text: string) => {
      const utterances = planOf(text, main)
      for (const { voice, text: reading } of utterances) {
        const mute = unspokenIn(reading, voice.alphabet)?.mute
        const letters = reading.match(/[\p{L}\p{N}]/gu) ?? []
        if (mute && letters.every((letter) => mute.test(letter))) silent.push(`${voice.id}: ${reading}`)
      }
      return utterances.filter(({ text: reading }) => reading !== '').length
    }
    for (let at = 0; at < pronounced.length; at += 40) {
      const batch = pronounced.slice(at, at + 40)
      if (check(batch.join('\n')) === batch.length) continue
      for (const character of batch) if (check(character) === 0) leftOut.push(character)
    }
    expect(silent).toEqual([])
    // Marks, phonetic superscripts, fillers without sound, and Arabic vowel marks without a letter.
    const silentByRight = /[\p{M}\p{Lm}\u115F\u1160\u3164\uFFA0ʔ\uFC5E-\uFC63\uFE70-\uFE7E]/u
    expect(leftOut.filter((character) => !silentByRight.test(character))).toEqual([])
    expect(leftOut.length).toBeLessThan(2_700)
  })

  it('names consecutive letters once, in the language of the main voice', () => {
    const text = 'The Cherokee word ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ means Cherokee.'
    expect(readingsOf(text, english)).toEqual([
      'en-kevin: The Cherokee word',
      'en-kevin: Cherokee letters',
      'en-kevin: means Cherokee.',
    ])
    expect(readingsOf('我看ᏣᎳᎩ', mandarin)).toEqual(['zh-mei: 我看', 'zh-mei: 切罗基文字母'])
    expect(readingsOf('Hi Ꮳ there', english)[1]).toBe('en-kevin: Cherokee letter')
    expect(readingsOf('Hi Ꮳꦲ there', english)[1]).toBe('en-kevin: Cherokee and Javanese letters')
    expect(readingsOf('Hi Ꮳꦲꠀ there', english)[1]).toBe('en-kevin: letters of three scripts')
    expect(readingsOf('Hi 𰀀𰀁 there', english)[1]).toBe('en-kevin: Chinese letters')
    expect(readingsOf('你好𰀀𰀁吗', mandarin)).toEqual(['zh-mei: 你好', 'zh-mei: 汉字', 'zh-mei: 吗'])
    expect(readingsOf('Guten Tag ᏣᎳᎩ', catalogue.find('de-greta')!)[1]).toBe('script-any: Cherokee letters')
  })

  it('leaves a word to its voice if that says some of its letters', () => {
    expect(readingsOf('કઽક', english)).toEqual(['script-gu: કઽક'])
    expect(readingsOf('Hi ઽ there', english)[1]).toBe('en-kevin: Gujarati letter')
  })

  it('spells letters of a script that no voice reads, up to a limit', () => {
    expect(readingsOf('Tibetan བོད་ཡིག', english)).toEqual(['en-kevin: Tibetan', 'script-any: བོད་ཡིག'])
    expect(readingsOf('བ'.repeat(2000), english)).toEqual(['en-kevin: Tibetan letters'])
    const spelled = planOf('a བ '.repeat(1000), english).filter(({ voiceId }) => voiceId === 'script-any')
    expect(spelled).toHaveLength(500)
    const names = planOf('a Ꮳ '.repeat(1000), english).filter(({ text }) => text === 'Cherokee letter')
    expect(names).toHaveLength(50)
  })
})

const poolSettings = {
  taskTimeoutMs: 60_000,
  workerMemoryMaxBytes: 1 << 30,
  jobsMax: 1000,
  models: modelOptions,
  horizonMs: 600_000,
}
const command = [process.execPath, join(import.meta.dir, '../../../src/main.ts'), 'worker']
const scheduler = createScheduler({ command, workers: 2, log: createLogger('silent'), ...poolSettings })
afterAll(() => scheduler.close())

/** Synthesizes each distinct utterance once, because most of these texts share all words but one. */
const known = new Map<string, Promise<Sound>>()
const frugal: Scheduler = {
  ...scheduler,
  closed: false,
  openJob(options) {
    const job = scheduler.openJob(options)
    const synthesize = (task: SynthesizeTask) => {
      const key = JSON.stringify([task.voice.id, task.text, task.pauseMs])
      const sound = known.get(key) ?? job.synthesize(task)
      known.set(key, sound)
      return sound
    }
    return { ...job, synthesize }
  },
}

async function say(text: string, voice: VoiceSpec, by = frugal): Promise<{ audioMs: number; digest: string }> {
  const hash = new Bun.CryptoHasher('sha256')
  const sink = { write: async (bytes: Uint8Array) => void hash.update(bytes) }
  const fallbackVoiceFor = (script: string) => catalogue.fallbackVoiceFor(voice, script)
  const settings = { speed: 1, format: 'wav', mp3SampleRate: undefined, queueKey: null } as const
  const request = { text, voice, fallbackVoiceFor, ...settings, deadline: startDeadline(60_000) }
  return { audioMs: (await render(by, request, sink)).audioMs, digest: hash.digest('hex') }
}

const everFailed =
  'ᏣᎳᎩ Ꮳ ꭰ ꦲ ꦲꦤ ꠀ ꠇꠣ ၵ ၵၶ ꩠ ૹ ઽ 𰀀 𱍐 𮯰 𪛖 𠀀𠀁 㐀 ꟻ 𐞀 𝼀 𐄇 𒐀 ₐ ƕƕƕƕƕƕ ჰჱ ᲐᲑᲒᲓ ⴀⴁ ᄀᅀ ꥠ ฦฦฦ ॻॻ 𑄶 ꩐ ᥆ 𞹀 ﷺ ے ᳵ ꣻ ᠠᠡ'.split(
    ' ',
  )
const others = ['\u{E000}', '\u0378', '\u0301', '\u20E3', '👨‍👩‍👧', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', 'שלום Ꮳ مرحبا', '\u202EᏣ\u202C', '𒀀𒀁']

describe('synthesized audio', () => {
  it.each([english, mandarin])(
    `"Hi X there" keeps its words, whatever X is, for $id (${seeded})`,
    async (voice) => {
      const chosen = Array.from({ length: 300 }, () => random.pick(pronounced))
      const plain = (await say('Hi there', voice)).audioMs
      const wrong: string[] = []
      const check = async (character: string) => {
        const spoken = await say(`Hi ${character} there`, voice).catch((error) => String(error.cause ?? error))
        const isRight = typeof spoken !== 'string' && spoken.audioMs > 0.8 * plain && spoken.audioMs < plain + 8_000
        if (!isRight) wrong.push(`${character}: ${typeof spoken === 'string' ? spoken : spoken.audioMs}`)
      }
      const all = [...everFailed, ...others, ...chosen]
      for (let at = 0; at < all.length; at += 8) await Promise.all(all.slice(at, at + 8).map(check))
      expect(wrong).toEqual([])
    },
    240_000,
  )

  it('a text of unspoken letters only is spoken too, however long, and is deterministic', async () => {
    for (const unit of ['Ꮳ', 'ᏣᎳᎩ. ', 'བ', '𰀀', 'ၵ', 'Ꮳꦲ', '\u0301', '\u{E000}', '𞤀𞤁 '])
      expect((await say(unit.repeat(2000 / [...unit].length), english)).audioMs).toBeWithin(200, 180_000)
    const text = 'Hi Ꮳꦲ there, 𰀀 བ.'
    expect(await say(text, english, scheduler)).toEqual(await say(text, english, scheduler))
  }, 240_000)
})
