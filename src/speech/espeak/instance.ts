/**
 * Loads eSpeak NG, compiled to JavaScript by Emscripten, for the engine and the phonemizer, ready for a heap snapshot.
 */
import initialize, { type EspeakModule, type EspeakWorker } from '@echogarden/espeak-ng-emscripten'
import { type PackageFiles, packageFiles } from './package-files'

export type EspeakInstance = {
  readonly module: EspeakModule
  readonly worker: EspeakWorker
  readonly files: PackageFiles
}

export async function openEspeak(): Promise<EspeakInstance> {
  const files = packageFiles()
  const module = await initialize({ getPreloadedPackage: () => files.buffer, print() {}, printErr() {} })
  files.watch(module.FS)
  await files.fill(/\/(lang|voices)\/|\/(phontab|phonindex|phondata|intonations)$/)
  const worker = atFixedTime(() => new module.eSpeakNGWorker())
  // The glue keeps the address and size of its text buffer outside the heap. A text longer than any later one makes
  // that buffer final before the snapshot. Otherwise a restore would leave it pointing into freed memory.
  atFixedTime(() => worker.synthesize(' a'.repeat(33_000), () => true))
  atFixedTime(() => worker.synthesize('a', () => true))
  await files.fillOpened()
  return { module, worker, files }
}

/** eSpeak NG seeds its noise with the time at its start; every instance gets the same time. */
function atFixedTime<T>(work: () => T): T {
  const now = Date.now
  Date.now = () => 0
  try {
    return work()
  } finally {
    Date.now = now
  }
}
