/** Stretching against native `sox tempo -s`. */
import { stretch } from '../../src/audio/stretch'
import { speechLike } from '../../test/audio/signals'
import { compareWithProgram } from './compare'
import { type BenchRow, printTable } from './report'

export async function benchStretch(): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const sampleRate of [22_050, 44_100]) {
    const input = speechLike({ seconds: 60, sampleRate })
    for (const speed of [0.5, 0.75, 1.5, 2]) {
      rows.push(
        await compareWithProgram({
          name: `stretch ${sampleRate} Hz, speed ${speed}`,
          input,
          goal: 1,
          command: ['sox', 'IN', 'OUT', 'tempo', '-s', String(speed)],
          outputSuffix: '.wav',
          ours: () => stretch(input, speed),
        }),
      )
    }
  }
  return rows
}

if (import.meta.main) printTable(await benchStretch())
