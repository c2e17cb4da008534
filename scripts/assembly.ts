/**
 * `bun scripts/assembly.ts` compiles the vocoder's inner loop from AssemblyScript to WebAssembly. Run it after a change in
 * `src/speech/vocoder/assembly/`; a test compares the committed file with what the sources give.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replaceFile, root } from './run'

const folder = join(root, 'src/speech/vocoder')
export const vocoderPath = join(folder, 'vocoder.wasm')

/** Throws with the compiler's messages. */
export async function compileVocoder(): Promise<Uint8Array> {
  const work = await mkdtemp(join(tmpdir(), 'sonant-assembly-'))
  try {
    const output = join(work, 'vocoder.wasm')
    const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js')
    const options = ['--enable', 'simd', '--runtime', 'stub', '--noAssert', '-O3']
    const command = [process.execPath, compiler, 'vocoder.ts', '-o', output, ...options]
    const { exitCode, stderr } = Bun.spawnSync(command, { cwd: join(folder, 'assembly') })
    if (exitCode !== 0) throw new Error(`AssemblyScript: ${stderr.toString()}`)
    return await Bun.file(output).bytes()
  } finally {
    await rm(work, { recursive: true })
  }
}

if (import.meta.main) await replaceFile(vocoderPath, await compileVocoder())
