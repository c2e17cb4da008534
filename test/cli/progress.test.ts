/** Progress of a long task. */
import { expect, it } from 'bun:test'
import { createProgress, formatBytes, formatClock } from '../../src/cli/progress'

function record(isTTY: boolean) {
  const written: string[] = []
  let nowMs = 0
  const output = { isTTY, columns: 100, write: (text: string) => (written.push(text), true) }
  const progress = createProgress(output as never, () => nowMs)
  const at = (ms: number, share: number) => {
    nowMs = ms
    progress.update(share, `${share} done`)
  }
  return { written, at, end: progress.end }
}

it('is a bar on a terminal, removed at the end', () => {
  const { written, at, end } = record(true)
  at(0, 0.5)
  expect(written.join('')).toContain('[############------------] 50 %  0.5 done')
  const before = written.length
  end()
  expect(written.slice(before).join('')).toContain('\u001b[?7h')
})

it('is a line per tenth elsewhere, with the time left, without control characters', () => {
  const { written, at, end } = record(false)
  for (let i = 0; i <= 100; i++) at(i, i / 100)
  end()
  expect(written).toEqual(Array.from({ length: 10 }, (_, i) => `${(i + 1) * 10} %, ${(i + 1) / 10} done\n`))
})

it('formats sizes in decimal units and durations as clock times', () => {
  expect([0, 351, 4_886, 63_201_294, 999_949_999, 1_200_000_000].map(formatBytes)).toEqual([
    '0.0 kB',
    '0.4 kB',
    '4.9 kB',
    '63.2 MB',
    '999.9 MB',
    '1.2 GB',
  ])
  expect([0, 5_400, 65_000, 3_723_000].map(formatClock)).toEqual(['0:00', '0:05', '1:05', '1:02:03'])
})
