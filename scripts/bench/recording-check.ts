/**
 * The check of reference recordings: its time, and the table of docs/reference-check.md, from recordings with faults of
 * known amounts.
 */
import type { Pcm } from '../../src/audio/pcm'
import { checkReference, type WarningCode } from '../../src/audio/reference'
import * as recordings from '../../test/audio/recordings'
import { speechLike } from '../../test/audio/signals'
import { type BenchRow, median, printTable } from './report'

const codes: readonly WarningCode[] = [
  ...(['short', 'mostly_silence', 'clipped', 'quiet', 'noisy', 'narrow_band', 'reverberant'] as const),
  ...(['several_voices', 'music'] as const),
]

export async function benchRecordingCheck(): Promise<BenchRow[]> {
  return [16_000, 44_100, 48_000].map((sampleRate) => {
    const pcm = speechLike({ seconds: 15, sampleRate })
    const times = Array.from({ length: 15 }, () => {
      const start = performance.now()
      checkReference(pcm)
      return performance.now() - start
    })
    const name = `recording check: 15 s at ${sampleRate} Hz`
    return { name, value: median(times), unit: 'ms', reference: null, ratio: null, goal: null, most: 150 }
  })
}

/** Returns a line of a Markdown table: the number of recordings with each warning. */
function line(name: string, sounds: readonly Pcm[]): string {
  const found = sounds.map((pcm) => checkReference(pcm).warnings.map(({ code }) => code))
  const counts = codes.map((code) => found.filter((all) => all.includes(code)).length || '')
  return `| ${[name, sounds.length, ...counts].join(' | ')} |`
}

function printFindings(): void {
  const speakers = recordings.readSpeakers().map(({ pcm }) => pcm)
  const at16kHz = recordings.readSpeakers({ sampleRate: 16_000 })
  const pairs = at16kHz.flatMap((a, i) => at16kHz.slice(i + 1).map((b) => [a, b] as const))
  const all = (change: (pcm: Pcm) => Pcm) => speakers.map(change)
  const telephone = recordings.readSpeakers({ sampleRate: 44_100, filter: 'aresample=8000' }).map(({ pcm }) => pcm)
  const [white, pink] = [recordings.whiteNoise(500_000), recordings.pinkNoise(500_000)]
  const turns = (sameSex: boolean) =>
    pairs.filter(([a, b]) => (a.isMale === b.isMale) === sameSex).map(([a, b]) => recordings.inTurn(a.pcm, b.pcm, 4))
  console.log(`| | of | ${codes.join(' | ')} |\n| --- | ---: |${codes.map(() => ' ---: |').join('')}`)
  console.log(line('as recorded', speakers))
  console.log(
    line(
      '10 dB quieter',
      all((pcm) => recordings.amplified(pcm, -10)),
    ),
  )
  console.log(
    line(
      '30 dB quieter',
      all((pcm) => recordings.amplified(pcm, -30)),
    ),
  )
  for (const db of [0, 2, 3, 6])
    console.log(
      line(
        `peaks ${db} dB cut off`,
        all((pcm) => recordings.clipped(pcm, db)),
      ),
    )
  for (const [name, noise] of [['white', white] as const, ['pink', pink] as const])
    for (const db of [30, 20, 15, 10, 5])
      console.log(
        line(
          `${name} noise, ${db} dB below`,
          all((pcm) => recordings.mixed(pcm, noise, db)),
        ),
      )
  console.log(line('over a telephone', telephone))
  for (const seconds of [0.2, 0.3, 0.5, 0.7, 1])
    console.log(
      line(
        `in a room that echoes ${seconds} s`,
        all((pcm) => recordings.reverberant(pcm, seconds)),
      ),
    )
  console.log(
    line(
      'close to it in a room of 0.7 s',
      all((pcm) => recordings.reverberant(pcm, 0.7, 6)),
    ),
  )
  for (const db of [0, 6, 12])
    console.log(
      line(
        `two at once, ${db} dB apart`,
        pairs.map(([a, b]) => recordings.mixed(a.pcm, b.pcm.samples, db)),
      ),
    )
  console.log(line('a man and a woman in turn', turns(false)))
  console.log(line('two women or two men in turn', turns(true)))
  for (const instrument of recordings.instruments) {
    console.log(line(`${instrument} alone`, [recordings.music(instrument, 12, 44_100)]))
    for (const db of [20, 10, 0]) {
      const over = (pcm: Pcm) => recordings.mixed(pcm, recordings.music(instrument, 12, pcm.sampleRate).samples, db)
      console.log(line(`over ${instrument}, ${db} dB below`, all(over)))
    }
  }
}

if (import.meta.main) {
  printFindings()
  printTable(await benchRecordingCheck())
}
