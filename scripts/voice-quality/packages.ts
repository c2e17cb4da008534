/**
 * The sound of the real models from their own Python packages, for comparison. `SONANT_BENCH_PYTHON` names a Python that
 * has piper-tts, kokoro-onnx and hibari-tts.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLineProcess } from '../bench/line-process'
import type { RealFamily } from '../bench/real-engine'
import { missingFor, writeRealPack } from '../bench/real-folders'
import type { Speaker } from './speakers'

const python = process.env['SONANT_BENCH_PYTHON']
/** By the name of the voice. */
const packages: Readonly<Record<string, { readonly family: RealFamily; readonly title: string }>> = {
  Heart: { family: 'hibari', title: 'hibari-tts' },
  Kokoro: { family: 'kokoro', title: 'kokoro-onnx' },
  Joe: { family: 'piper', title: 'piper-tts' },
}

/** Calls `work` with the package of each voice in `names` that has one. Prints what cannot be measured. */
export async function withPackages(
  names: readonly string[],
  work: (speakers: readonly Speaker[]) => Promise<void>,
): Promise<void> {
  for (const name of names) {
    const own = packages[name]
    if (!own) continue
    const missing = python === undefined ? 'SONANT_BENCH_PYTHON' : missingFor(own.family)
    if (missing) console.log(`${own.title} is left out (missing: ${missing})`)
    else await withPackage(own, async (speaker) => work([speaker]))
  }
}

async function withPackage(
  { family, title }: { readonly family: RealFamily; readonly title: string },
  work: (speaker: Speaker) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-package-sound-'))
  await writeRealPack(family, directory)
  const { ask, stop } = startLineProcess([python!, join(import.meta.dir, 'package-sound.py'), family, directory])
  try {
    await work({
      name: title,
      voiceId: undefined,
      async speak(text) {
        const path = join(directory, 'sound.wav')
        await ask({ text, path })
        return Bun.file(path).bytes()
      },
    })
  } finally {
    await stop()
    await rm(directory, { recursive: true })
  }
}
