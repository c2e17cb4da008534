/** MP3 encoding against native LAME. */
import { createMp3Encoder, mp3BitrateKbps } from '../../src/audio/encode/mp3'
import { toInt16 } from '../../src/audio/pcm'
import { speechLike } from '../../test/audio/signals'
import { compareWithProgram } from './compare'
import { type BenchRow, printTable } from './report'

export async function benchMp3(): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const sampleRate of [22_050, 44_100]) {
    const input = speechLike({ seconds: 60, sampleRate })
    const samples = toInt16(input.samples)
    const bitrateKbps = mp3BitrateKbps(sampleRate)
    rows.push(
      await compareWithProgram({
        name: `MP3 ${sampleRate} Hz, ${bitrateKbps} kbit/s`,
        input,
        goal: 0.75,
        command: [
          'lame',
          '--quiet',
          '-b',
          String(bitrateKbps),
          '--cbr',
          '--resample',
          String(sampleRate / 1000),
          'IN',
          'OUT',
        ],
        outputSuffix: '.mp3',
        async ours() {
          const encoder = await createMp3Encoder({ sampleRate, bitrateKbps })
          for (let start = 0; start < samples.length; start += sampleRate) {
            encoder.append(samples.subarray(start, start + sampleRate))
          }
          encoder.finish()
        },
      }),
    )
  }
  return rows
}

if (import.meta.main) printTable(await benchMp3())
