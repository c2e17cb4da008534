/** What is shown of a download. */
import { expect, it } from 'bun:test'
import { createProgress, formatBytes } from '../../src/cli/progress'

function record(isTTY: boolean) {
  const written: string[] = []
  let nowMs = 0
  const progress = createProgress({ isTTY, write: (text) => written.push(text) }, () => nowMs)
  const at = (ms: number, receivedBytes: number) => {
    nowMs = ms
    progress.update({ receivedBytes, sizeBytes: 63_200_000 })
  }
  return { written, at, end: progress.end }
}

it('is a bar on a terminal, with speed and time left, not drawn more often than ten times a second', () => {
  const { written, at, end } = record(true)
  at(0, 0)
  at(50, 1_000_000)
  at(10_000, 31_600_000)
  at(10_001, 63_200_000)
  end()
  expect(written).toHaveLength(4)
  expect(written[1]).toBe('\r\u001b[K[############------------] 50 %  31.6 MB of 63.2 MB, 3.2 MB/s, 10 s left')
  expect(written[2]).toContain('[########################] 100 %  63.2 MB of 63.2 MB')
  expect(written[3]).toBe('\r\u001b[K')
})

it('does not count what was there before as speed', () => {
  const { written, at } = record(true)
  at(0, 60_000_000)
  at(1_000, 61_000_000)
  expect(written[1]).toContain('1.0 MB/s, 3 s left')
})

it('is a line for each tenth elsewhere, without anything for a terminal', () => {
  const { written, at, end } = record(false)
  for (let i = 0; i <= 100; i++) at(i, i * 632_000)
  end()
  expect(written).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((tenth) => `${tenth * 10} % of 63.2 MB\n`))
})

it('names sizes as disks do', () => {
  expect([0, 351, 4_886, 63_201_294, 999_949_999, 1_200_000_000].map(formatBytes)).toEqual([
    '0.0 kB',
    '0.4 kB',
    '4.9 kB',
    '63.2 MB',
    '999.9 MB',
    '1.2 GB',
  ])
})
