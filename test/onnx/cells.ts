/**
 * Reading back what a transparent model of VITS or Piper was given, from sound that was not resampled: runs of cells,
 * each a number that is held for some samples, with silence between the runs.
 *
 *   1 | length % 1024 | length / 1024 | noise / 8 | length scale / 8 | noise width / 8 | speaker | rows of that length
 *
 * The 1 tells how long all cells of a run are held. A whole number v is sent as (v + 256) / 2048.
 */

export type HeardRun = {
  readonly noiseScale: number
  readonly lengthScale: number
  readonly noiseWidth: number
  readonly speaker: number
  /** Offsets of the first sample of the run and the one after its last. */
  readonly start: number
  readonly end: number
}

export const headerCells = 7

/** The header and `count` rows of each run. */
export function readRuns(samples: Float32Array, count = 1): { header: HeardRun; rows: number[][] }[] {
  const runs: { header: HeardRun; rows: number[][] }[] = []
  for (let at = 0; at < samples.length;) {
    if (Math.abs(samples[at]!) < 0.01) {
      at++
      continue
    }
    if (samples[at]! < 0.999) throw new Error(`no run begins at sample ${at}`)
    const start = at
    let held = 1
    while (samples[start + held]! >= 0.999) held++
    const cell = (index: number) => samples[start + index * held + (held >> 1)]!
    const whole = (index: number) => Math.round(cell(index) * 2048) - 256
    const scale = (index: number) => Math.round(cell(index) * 8_000) / 1_000
    const length = whole(1) + 1024 * whole(2)
    const row = (number: number) => Array.from({ length }, (_, i) => whole(headerCells + number * length + i))
    at += (headerCells + count * length) * held
    runs.push({
      header: {
        noiseScale: scale(3),
        lengthScale: scale(4),
        noiseWidth: scale(5),
        speaker: whole(6),
        start,
        end: at,
      },
      rows: Array.from({ length: count }, (_, number) => row(number)),
    })
  }
  return runs
}
