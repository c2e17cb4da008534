import { describe, expect, it } from 'bun:test'
import { planUtterances } from '../../../src/speech/text/plan'
import type { ReadingVoice } from '../../../src/speech/text/reading-voice'
import type { Script } from '../../../src/speech/text/script'

const voiceOf = (id: string, language: string): ReadingVoice => ({ id, language, charactersMax: 300 })
const english = voiceOf('english', 'en-US')
const mandarin = voiceOf('mandarin', 'zh-CN')
const german = voiceOf('german', 'de-DE')
const japanese = voiceOf('japanese', 'ja-JP')

function fallbackVoiceFor(script: Script): ReadingVoice {
  if (script === 'Latn') return english
  if (script === 'Hani') return mandarin
  return voiceOf(script, script === 'Kana' ? 'ja-JP' : script === 'Cyrl' ? 'ru-RU' : 'de-DE')
}

const plan = (text: string, main: ReadingVoice) =>
  planUtterances(text, main, fallbackVoiceFor).map(({ voiceId, text: reading }) => [voiceId, reading])

describe('planUtterances', () => {
  it('lets a Mandarin voice speak the Latin words inside its sentence', () => {
    expect(plan('我用iPhone打了3个call', mandarin)).toEqual([['mandarin', '我用iPhone打了三个call']])
  })
  it('lets the Mandarin fallback do the same for an English voice', () => {
    expect(plan('我用iPhone打了3个call', english)).toEqual([['mandarin', '我用iPhone打了三个call']])
  })
  it('gives whole English sentences and longer English runs to the Latin fallback', () => {
    expect(plan('你好。Hello. 他说 this is not my problem 然后走了', mandarin)).toEqual([
      ['mandarin', '你好。'],
      ['english', 'Hello.'],
      ['mandarin', '他说'],
      ['english', 'this is not my problem'],
      ['mandarin', '然后走了'],
    ])
  })
  it('gives Han inside English to the fallback, with the number that touches it', () => {
    expect(plan('I was born in 1990 in 北京 and left in 2024年.', english)).toEqual([
      ['english', 'I was born in nineteen ninety in'],
      ['mandarin', '北京'],
      ['english', 'and left in'],
      ['mandarin', '二零二四年.'],
    ])
  })
  it('reads digits in the language of the letters before them', () => {
    expect(plan('You have 3', mandarin)).toEqual([['english', 'You have three']])
    expect(plan('25', mandarin)).toEqual([['mandarin', '二十五']])
    expect(plan('25', english)).toEqual([['english', 'twenty-five']])
  })
  it('takes Han beside kana for Japanese', () => {
    expect(plan('東京へ行きます', english).map(([id]) => id)).toEqual(['Kana'])
    expect(plan('東京へ行きます', japanese).map(([id]) => id)).toEqual(['japanese'])
  })
  it('leaves Latin text of every language to a German voice', () => {
    expect(plan('Das ist the best day ever', german)).toEqual([['german', 'Das ist the best day ever']])
  })
  it('asks for a fallback for scripts that no voice here knows', () => {
    expect(plan('Hello สวัสดี ꦲꦤ', english)).toEqual([
      ['english', 'Hello'],
      ['Thai', 'สวัสดี'],
      ['Zzzz', 'ꦲꦤ'],
    ])
  })
  it('pauses by the kind of end of an utterance, and not after the last', () => {
    const pauses = planUtterances('One. Two… Three\nFour\n\n说；五，five six seven eight', english, fallbackVoiceFor)
    expect(pauses.map(({ pauseMs }) => pauseMs)).toEqual([350, 450, 400, 650, 200, 120, 0])
  })
  it('cuts a long sentence at clause marks, then spaces, then anywhere, within the limit', () => {
    const short = { ...english, charactersMax: 40 }
    const long = `${'several words, '.repeat(20)}${'word '.repeat(40)}`
    const utterances = planUtterances(long, short, fallbackVoiceFor)
    expect(utterances.every(({ text }) => text.length <= 40)).toBe(true)
    expect(utterances[0]).toMatchObject({ text: 'several words, several words,', pauseMs: 120 })
    expect(utterances.map(({ text }) => text).join(' ')).toBe(long.trim())
    const han = planUtterances('好'.repeat(100), { ...mandarin, charactersMax: 40 }, fallbackVoiceFor)
    expect(han.map(({ letters }) => letters)).toEqual([40, 40, 20])
  })
  it.each(['', '...', '?!?!', ' \n ', '\u200B', '“”', '()', '\u{1F1E6}'.repeat(0)])(
    'plans one silence for %p',
    (text) => {
      expect(planUtterances(text, english, fallbackVoiceFor)).toEqual([
        { voiceId: 'english', text: '', language: 'en-US', letters: 0, symbols: 0, pauseMs: 300 },
      ])
    },
  )
  it('counts the audible letters', () => {
    expect(planUtterances('Hi, 5!', english, fallbackVoiceFor)[0]!.letters).toBe(6)
    expect(planUtterances('😀', german, fallbackVoiceFor)[0]).toMatchObject({ letters: 0, symbols: 1 })
  })
  it('gives no utterance to marks around another script', () => {
    for (const { letters } of planUtterances('“你好” — (hello) … “再见”!', english, fallbackVoiceFor)) {
      expect(letters).toBeGreaterThan(0)
    }
  })
})
