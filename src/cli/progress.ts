/** Progress of a long task: a bar on a terminal, a line per tenth elsewhere. */
import type { SingleBar } from 'cli-progress'

type Output = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean }

const redrawsPerSecond = 10
const barColumns = 24
const shareSteps = 10_000

/** On a terminal the cursor stays on the line of the bar until `end`. */
export function createProgress(output: Output, nowMs: () => number = performance.now.bind(performance)) {
  const startMs = nowMs()
  let first: number | undefined
  let bar: SingleBar | undefined
  let tenths = 0

  /** The share present at the start took no time. */
  function timeLeft(share: number): string {
    const rate = (share - first!) / Math.max(1, nowMs() - startMs)
    return rate > 0 && share < 1 ? `, ${formatSeconds((1 - share) / rate / 1000)} left` : ''
  }

  return {
    /** `share`: 0 to 1. `says`: further text. */
    update(share: number, says: string): void {
      first ??= share
      if (output.isTTY) {
        const payload = { says: `${says}${timeLeft(share)}` }
        if (bar) bar.update(Math.floor(share * shareSteps), payload)
        else (bar = createBar(output)).start(shareSteps, Math.floor(share * shareSteps), payload)
        return
      }
      const now = Math.floor(share * 10)
      if (now <= tenths) return
      tenths = now
      output.write(`${now * 10} %, ${says}\n`)
    },
    /** Clears the line of the terminal. */
    end(): void {
      bar?.stop()
      bar = undefined
    },
  }
}

/** Loaded on a terminal only. */
function createBar(output: Output): SingleBar {
  const { SingleBar: Bar } = require('cli-progress') as typeof import('cli-progress')
  return new Bar({
    stream: output as NodeJS.WriteStream,
    format: '[{bar}] {percentage} %  {says}',
    barsize: barColumns,
    barCompleteChar: '#',
    barIncompleteChar: '-',
    fps: redrawsPerSecond,
    clearOnComplete: true,
    // The signal handlers of this program also remove incomplete files.
    gracefulExit: false,
    emptyOnZero: true,
  })
}

/** Decimal units, as for disks and downloads. */
export function formatBytes(bytes: number): string {
  const [unit, size] = bytes < 999_950 ? ['kB', 1e3] : bytes < 999_950_000 ? ['MB', 1e6] : ['GB', 1e9]
  return `${((bytes as number) / (size as number)).toFixed(1)} ${unit}`
}

/** `1:02:03`. */
export function formatClock(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return hours > 0 ? `${hours}:${two(minutes % 60)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`
}
