/**
 * Assigns text to voices. It cuts one sentence into runs of one voice each, by script:
 *
 * 1. Letters of the main voice's own scripts stay with it; letters of another script go to its fallback voice.
 * 2. Kana makes the Han of the same sentence Japanese.
 * 3. One or two Latin words inside a sentence of another script stay there, because voices of other scripts speak them
 *    well enough (`我用iPhone打了3个call`); three or more go to another voice.
 * 4. Digits, marks, symbols and emoji have no script: they follow the letters before them, else those after them, else
 *    the main voice. Characters that touch the following letters without a space go with those (`in 2024年`,
 *    `said “你好”`).
 */
import type { ReadingVoice } from './reading-voice'
import { type Script, scriptRuns, scriptsOf } from './script'

/** Joined again, the texts of a sentence's runs are the sentence. */
type VoiceRun = { voice: ReadingVoice; text: string }

type Piece = { script: Script; text: string }

export function routeSentence(
  sentence: string,
  main: ReadingVoice,
  fallbackVoiceFor: (script: Script) => ReadingVoice,
): VoiceRun[] {
  const pieces = attachNeutrals(sentence)
  if (pieces.length === 0) return [{ voice: main, text: sentence }]
  const kana = pieces.some(({ script }) => script === 'Kana')
  const native = new Set(scriptsOf(main.language))
  const voiceOf = (script: Script) => (native.has(script) ? main : fallbackVoiceFor(script))

  const merged = mergeScripts(
    pieces.map(({ script, text }) => ({ script: kana && script === 'Hani' ? 'Kana' : script, text })),
  )
  const host = hostScript(merged, native)
  const runs: VoiceRun[] = []
  merged.forEach(({ script, text }, index) => {
    const hosted = script === 'Latn' && host !== null && words(text) <= 2 && (index > 0 || native.has(host))
    const voice = hosted ? voiceOf(host) : voiceOf(script)
    const previous = runs.at(-1)
    if (previous !== undefined && previous.voice.id === voice.id) previous.text += text
    else runs.push({ voice, text })
  })
  return runs
}

/** The non-Latin script of a sentence: a native one, else the one with most letters; null for a Latin sentence. */
function hostScript(pieces: Piece[], native: ReadonlySet<Script>): Script | null {
  const letters = new Map<Script, number>()
  let latinWords = 0
  for (const { script, text } of pieces) {
    if (script === 'Latn') latinWords += words(text)
    else letters.set(script, (letters.get(script) ?? 0) + (text.match(/\p{L}/gu)?.length ?? 0))
  }
  const [script, count] = [...letters].sort((a, b) => b[1] - a[1])[0] ?? [null, 0]
  if (script === null || native.has('Latn')) return script !== null && count > 2 * latinWords ? script : null
  return [...native].find((own) => letters.has(own)) ?? (count > 2 * latinWords ? script : null)
}

/** Counts words by white space: `U.S.A.` and `don't` are one word, a number alone is none. */
function words(text: string): number {
  return text.split(/[\s,;:]+/).filter((word) => /\p{L}/u.test(word)).length
}

/** Cuts a sentence into pieces of one script each. Characters without a script join a neighbour. */
function attachNeutrals(sentence: string): Piece[] {
  const pieces: Piece[] = []
  let waiting = ''
  for (const { script, text } of scriptRuns(sentence)) {
    const previous = pieces.at(-1)
    if (script === null) {
      waiting += text
    } else if (previous === undefined) {
      pieces.push({ script, text: waiting + text })
      waiting = ''
    } else {
      const cut = previous.script === script ? waiting.length : waiting.search(/\S+$/)
      const kept = cut > 0 && /\s/.test(waiting) ? waiting.slice(0, cut) : waiting
      previous.text += kept
      pieces.push({ script, text: waiting.slice(kept.length) + text })
      waiting = ''
    }
  }
  const last = pieces.at(-1)
  if (last !== undefined) last.text += waiting
  return pieces
}

function mergeScripts(pieces: Piece[]): Piece[] {
  const merged: Piece[] = []
  for (const piece of pieces) {
    const previous = merged.at(-1)
    if (previous?.script === piece.script) previous.text += piece.text
    else merged.push({ ...piece })
  }
  return merged
}
