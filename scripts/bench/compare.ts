/** Times Sonant's code in this process against a native program as a whole process, on the same file. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWavEncoder } from '../../src/audio/encode/wav'
import { durationSeconds, type Pcm, toInt16 } from '../../src/audio/pcm'
import { type BenchRow, median } from './report'

const measuredRounds = 5

type Comparison = {
  name: string
  input: Pcm
  goal: number
  ours: (inputPath: string) => unknown
  /** The program and its arguments; `IN` and `OUT` stand for the paths of the files. */
  command: string[]
  outputSuffix: string
  /** An untimed command that makes `IN` from `WAV`. Without it `IN` is the WAV file. */
  prepare?: { command: string[]; suffix: string }
}

/** Returns the medians of five alternating rounds, in seconds of input per second of work. */
export async function compareWithProgram(comparison: Comparison): Promise<BenchRow> {
  const { name, input, goal, command, prepare } = comparison
  const unit = 'x real time'
  const program = Bun.which(command[0]!)
  const folder = await mkdtemp(join(tmpdir(), 'sonant-bench-'))
  try {
    const wavPath = join(folder, 'in.wav')
    const inputPath = prepare ? join(folder, `prepared${prepare.suffix}`) : wavPath
    const outputPath = join(folder, `out${comparison.outputSuffix}`)
    await Bun.write(wavPath, wavFile(input))
    const paths: Record<string, string> = { WAV: wavPath, IN: inputPath, OUT: outputPath }
    const args = command.slice(1).map((arg) => paths[arg] ?? arg)
    const missing = { name: `${name} (no ${command[0]})`, unit, reference: null, ratio: null, goal }
    if (prepare && !Bun.which(prepare.command[0]!)) return { ...missing, value: null }
    if (prepare) await run(prepare.command.map((arg) => paths[arg] ?? arg))

    const oursSeconds: number[] = []
    const programSeconds: number[] = []
    for (let round = 0; round < measuredRounds; round++) {
      oursSeconds.push(await timeSeconds(() => comparison.ours(inputPath)))
      if (program) programSeconds.push(await timeSeconds(() => run([program, ...args])))
    }
    const value = durationSeconds(input) / median(oursSeconds)
    if (!program) return { ...missing, value }
    const reference = durationSeconds(input) / median(programSeconds)
    return { name, value, unit, reference, ratio: value / reference, goal }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function wavFile(pcm: Pcm): Uint8Array {
  const encoder = createWavEncoder({ sampleRate: pcm.sampleRate })
  const body = encoder.append(toInt16(pcm.samples))
  return new Uint8Array(Buffer.concat([encoder.finish().head, body]))
}

async function timeSeconds(work: () => unknown): Promise<number> {
  const startMs = performance.now()
  await work()
  return (performance.now() - startMs) / 1000
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'ignore' })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed.`)
}
