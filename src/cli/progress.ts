/** How far a download is: a bar on a terminal, a line for each tenth elsewhere. */

type Progress = { readonly receivedBytes: number; readonly sizeBytes: number }

type Output = { readonly isTTY?: boolean; write(text: string): unknown }

const redrawMs = 100
const barColumns = 24
const clearLine = '\r\u001b[K'

export function createProgress(output: Output, nowMs: () => number = performance.now.bind(performance)) {
  const startMs = nowMs()
  let first: number | undefined
  let drawnMs = -Infinity
  let tenths = 0

  function draw({ receivedBytes, sizeBytes }: Progress): void {
    const share = sizeBytes === 0 ? 1 : receivedBytes / sizeBytes
    const filled = Math.floor(share * barColumns)
    const bar = '#'.repeat(filled) + '-'.repeat(barColumns - filled)
    // What an earlier pull left came in no time.
    const bytesPerSecond = (receivedBytes - first!) / Math.max(0.001, (nowMs() - startMs) / 1000)
    const left = bytesPerSecond > 0 ? `, ${formatSeconds((sizeBytes - receivedBytes) / bytesPerSecond)} left` : ''
    const sizes = `${formatBytes(receivedBytes)} of ${formatBytes(sizeBytes)}`
    output.write(`${clearLine}[${bar}] ${Math.floor(share * 100)} %  ${sizes}, ${formatBytes(bytesPerSecond)}/s${left}`)
  }

  return {
    update(progress: Progress): void {
      const { receivedBytes, sizeBytes } = progress
      first ??= receivedBytes
      if (output.isTTY) {
        if (nowMs() - drawnMs < redrawMs && receivedBytes < sizeBytes) return
        drawnMs = nowMs()
        return draw(progress)
      }
      const now = Math.floor((receivedBytes / Math.max(1, sizeBytes)) * 10)
      if (now <= tenths) return
      tenths = now
      output.write(`${now * 10} % of ${formatBytes(sizeBytes)}\n`)
    },
    /** Leaves the terminal's line free. */
    end(): void {
      if (output.isTTY && first !== undefined) output.write(clearLine)
    },
  }
}

/** Decimal units, as disks are sold and downloads shown. */
export function formatBytes(bytes: number): string {
  const [unit, size] = bytes < 999_950 ? ['kB', 1e3] : bytes < 999_950_000 ? ['MB', 1e6] : ['GB', 1e9]
  return `${((bytes as number) / (size as number)).toFixed(1)} ${unit}`
}

function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`
}
