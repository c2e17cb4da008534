/** Resets the state that eSpeak NG keeps between calls, by restoring a snapshot of its heap. */
import type { EspeakModule } from '@echogarden/espeak-ng-emscripten'

export type HeapSnapshot = ReturnType<typeof snapshotHeap>

/**
 * Takes a snapshot of the heap up to its break; everything above is zero. It has 1.2 MB of 17 MB, so a restore takes
 * microseconds. A large allocation shows which word holds the break.
 */
export function snapshotHeap(espeak: EspeakModule) {
  const whole = espeak.HEAPU8.slice()
  const breakIndex = findBreak(espeak)
  const currentBreak = () => new Int32Array(espeak.HEAPU8.buffer)[breakIndex]!
  const snapshotBreak = new Int32Array(whole.buffer)[breakIndex]!
  const snapshot = whole.slice(0, snapshotBreak)
  espeak.HEAPU8.set(snapshot)
  clearWritten(espeak.HEAPU8, snapshotBreak)
  let highest = snapshotBreak
  const observe = () => void (highest = Math.max(highest, currentBreak()))
  return {
    /** Call this while the engine works: memory used and freed in between must be cleared too. */
    observe,
    restore() {
      observe()
      espeak.HEAPU8.set(snapshot)
      espeak.HEAPU8.fill(0, snapshotBreak, Math.min(highest, espeak.HEAPU8.length))
      highest = snapshotBreak
    },
  }
}

const blockBytes = 1 << 16

/** Clears from `start` on. Writes only to blocks that are not zero: untouched pages take no memory. */
function clearWritten(heap: Uint8Array, start: number): void {
  const zeros = new Uint8Array(blockBytes)
  for (let at = start; at < heap.length; at += blockBytes) {
    const block = heap.subarray(at, at + blockBytes)
    if (Buffer.compare(block, zeros.subarray(0, block.length)) !== 0) block.fill(0)
  }
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
