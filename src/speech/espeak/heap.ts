/** eSpeak NG keeps state between calls; putting its heap back to a snapshot undoes that. */
import type { EspeakModule } from '@echogarden/espeak-ng-emscripten'

export type HeapSnapshot = ReturnType<typeof snapshotHeap>

/**
 * A snapshot of the heap up to its break, which is all that is ever non-zero: 1.2 MB of 17 MB, so a restore takes
 * microseconds. The word that holds the break is found by watching what a large allocation moves.
 */
export function snapshotHeap(espeak: EspeakModule) {
  const whole = espeak.HEAPU8.slice()
  const breakIndex = findBreak(espeak)
  const currentBreak = () => new Int32Array(espeak.HEAPU8.buffer)[breakIndex]!
  const snapshotBreak = new Int32Array(whole.buffer)[breakIndex]!
  const snapshot = whole.slice(0, snapshotBreak)
  espeak.HEAPU8.set(snapshot)
  clearWritten(new Int32Array(espeak.HEAPU8.buffer), snapshotBreak / 4)
  let highest = snapshotBreak
  const observe = () => void (highest = Math.max(highest, currentBreak()))
  return {
    /** To be called while the engine works: memory it used and gave back in between must be cleared too. */
    observe,
    restore() {
      observe()
      espeak.HEAPU8.set(snapshot)
      espeak.HEAPU8.fill(0, snapshotBreak, Math.min(highest, espeak.HEAPU8.length))
      highest = snapshotBreak
    },
  }
}

/** Clears from `start` on, but writes only where it must: a page that was never written takes no memory. */
function clearWritten(words: Int32Array, start: number): void {
  for (let i = Math.floor(start); i < words.length; i++) if (words[i] !== 0) words[i] = 0
}

function findBreak(espeak: EspeakModule): number {
  const probeBytes = 6 << 20
  const words = (1 << 20) / 4
  const before = new Int32Array(espeak.HEAPU8.buffer).slice(0, words)
  espeak._malloc(probeBytes)
  const after = new Int32Array(espeak.HEAPU8.buffer, 0, words)
  let found = -1
  for (let i = 0; i < words; i++) {
    const growth = after[i]! - before[i]!
    if (growth < probeBytes || growth > probeBytes + (1 << 17)) continue
    if (found < 0 || after[i]! > after[found]!) found = i
  }
  if (found < 0) throw new Error('the heap break of eSpeak NG was not found')
  return found
}
