/** Opus, FLAC and AAC encoding against ffmpeg as a whole process, at the same settings. */
import { aacBitrateKbps } from '../../src/audio/encode/aac'
import type { CodedFormat } from '../../src/audio/encode/encoder'
import { createEncoder } from '../../src/audio/encode/formats'
import { opusBitrateKbps, opusComplexity } from '../../src/audio/encode/opus'
import { toInt16 } from '../../src/audio/pcm'
import { speechLike } from '../../test/audio/signals'
import { compareWithProgram } from './compare'
import { type BenchRow, printTable } from './report'

const sampleRate = 24_000

const encoders: readonly { readonly format: CodedFormat; readonly flags: readonly string[]; readonly goal: number }[] =
  [
    {
      format: 'opus',
      flags: ['-c:a', 'libopus', '-b:a', `${opusBitrateKbps(sampleRate)}k`, '-compression_level', `${opusComplexity}`],
      goal: 0.5,
    },
    { format: 'flac', flags: ['-c:a', 'flac', '-compression_level', '5'], goal: 0.5 },
    { format: 'aac', flags: ['-c:a', 'aac', '-b:a', `${aacBitrateKbps(sampleRate)}k`], goal: 0.5 },
  ]

export async function benchCodecs(): Promise<BenchRow[]> {
  const input = speechLike({ seconds: 60, sampleRate })
  const samples = toInt16(input.samples)
  const rows: BenchRow[] = []
  for (const { format, flags, goal } of encoders)
    rows.push(
      await compareWithProgram({
        name: `${format} ${sampleRate} Hz`,
        input,
        goal,
        command: ['ffmpeg', '-y', '-v', 'error', '-i', 'IN', ...flags, 'OUT'],
        outputSuffix: `.${format}`,
        async ours() {
          const encoder = await createEncoder(format, sampleRate)
          for (let start = 0; start < samples.length; start += sampleRate)
            encoder.append(samples.subarray(start, start + sampleRate))
          encoder.finish()
        },
      }),
    )
  return rows
}

if (import.meta.main) printTable(await benchCodecs())
