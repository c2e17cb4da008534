/**
 * eSpeak NG, compiled to JavaScript by Emscripten: Mandarin and every language but English. It keeps state between
 * calls, so its heap is put back to one snapshot before each; then the same text gives the same samples. Its
 * dictionaries are read out of the executable only when a language is first spoken.
 */
import initialize, { type EspeakModule, type FileNode } from '@echogarden/espeak-ng-emscripten'
import packagePath from '@echogarden/espeak-ng-emscripten/espeak-ng.data' with { type: 'file' }
import { fromInt16, type Pcm } from '../../audio/pcm'
import type { SpeechEngine, VoiceSpec } from '../engine'

/** Longer than any utterance: a text that makes eSpeak NG talk this long is not speech any more. */
const outputSecondsMax = 120
const defaults = { pitch: 50, pitchRange: 50, wordsPerMinute: 165 }

export async function loadEspeak(): Promise<SpeechEngine> {
  const files = packageFiles()
  const espeak = await initialize({ getPreloadedPackage: () => files.buffer, print() {}, printErr() {} })
  files.watch(espeak.FS)
  await files.fill(/\/(lang|voices)\/|\/(phontab|phonindex|phondata|intonations)$/)
  const worker = atFixedTime(() => new espeak.eSpeakNGWorker())
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
    if (frames > outputSecondsMax * sampleRate) throw new Error('eSpeak NG talks without end')
    return { samples: fromInt16(concatenate(portions, frames)), sampleRate }
  }

  // The glue keeps the address and size of its text buffer outside the heap. One text longer than any to come makes
  // that buffer final before the snapshot; otherwise a restore would leave it pointing into freed memory.
  atFixedTime(() => worker.synthesize(' a'.repeat(33_000), () => true))
  atFixedTime(() => worker.synthesize('a', () => true))
  await files.fillOpened()
  const heap = snapshotHeap(espeak)

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

/** eSpeak NG seeds its noise with the time of day when it starts; every instance gets the same one. */
function atFixedTime<T>(work: () => T): T {
  const now = Date.now
  Date.now = () => 0
  try {
    return work()
  } finally {
    Date.now = now
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

/** Dictionaries of languages that were not spoken lately are let go beyond this; Russian alone has 8.5 MB. */
const dictionaryBytesKept = 4e6

/**
 * The data package (24 MB, mostly dictionaries) as a buffer of zeros: Emscripten's files are views into it until they
 * are needed. A file that was opened while still empty is noted, filled, and the call repeated.
 */
function packageFiles() {
  const source = Bun.file(packagePath)
  const buffer = new ArrayBuffer(source.size)
  const nodes = new Map<string, FileNode>()
  /** Each file's place in the package, which is also what it holds while it is empty. */
  const places = new Map<FileNode, Uint8Array>()
  const opened = new Set<FileNode>()
  /** Least recently used first. */
  const dictionaries = new Set<FileNode>()
  /** Those of the text at hand. */
  const inUse = new Set<FileNode>()

  const isEmpty = (node: FileNode) => node.contents === places.get(node)

  async function fillAll(wanted: Iterable<FileNode>): Promise<void> {
    for (const node of wanted) {
      const { byteOffset, length } = places.get(node)!
      node.contents = await source.slice(byteOffset, byteOffset + length).bytes()
    }
  }

  function use(path: string, node: FileNode): void {
    if (isEmpty(node)) opened.add(node)
    if (!path.endsWith('_dict')) return
    dictionaries.delete(node)
    dictionaries.add(node)
    inUse.add(node)
  }

  return {
    buffer,
    watch(fs: EspeakModule['FS']) {
      const collect = (directory: FileNode, path: string) => {
        for (const [name, node] of Object.entries(directory.contents as Record<string, FileNode>)) {
          if (fs.isDir(node.mode)) collect(node, `${path}/${name}`)
          else if ((node.contents as Uint8Array | undefined)?.buffer === buffer) {
            nodes.set(`${path}/${name}`, node)
            places.set(node, node.contents as Uint8Array)
          }
        }
      }
      collect(fs.lookupPath('/').node, '')
      const open = fs.open
      fs.open = function (path, ...rest) {
        const name = String(path).replace(/\/+/g, '/')
        const node = nodes.get(name)
        if (node) use(name, node)
        return open.call(this, path, ...rest)
      }
    },
    fill: (pattern: RegExp) => fillAll([...nodes].filter(([path]) => pattern.test(path)).map(([, node]) => node)),
    /** Fills what was opened empty since the last call; says whether there was any. */
    async fillOpened(): Promise<boolean> {
      if (opened.size === 0) return false
      await fillAll(opened)
      opened.clear()
      return true
    },
    /** Empties the dictionaries that were not needed for this text, the oldest first, down to what is kept. */
    letGo(): void {
      let sizeBytes = 0
      for (const node of [...dictionaries].reverse()) {
        sizeBytes += places.get(node)!.length
        if (sizeBytes <= dictionaryBytesKept || inUse.has(node)) continue
        node.contents = places.get(node)!
        dictionaries.delete(node)
      }
      inUse.clear()
    },
  }
}

/**
 * A snapshot of the heap up to its break, which is all that is ever non-zero: 1.2 MB of 17 MB, so a restore takes
 * microseconds. The word that holds the break is found by watching what a large allocation moves.
 */
function snapshotHeap(espeak: EspeakModule) {
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
