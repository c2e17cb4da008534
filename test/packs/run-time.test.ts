/** The time of a run, on an injected clock. */
import { describe, expect, it } from 'bun:test'
import { timeRuns } from '../../src/packs/run-time'

type Run = { readonly wallMs: number; readonly cpuMs: number }

/** Times runs that take so long, in their order. */
async function time(...runs: Run[]) {
  let [wallMs, cpuMs, count] = [0, 0, 0]
  const clock = { wallMs: () => wallMs, cpuMs: () => cpuMs }
  const { result, ms } = await timeRuns(async () => {
    const run = runs[count]!
    wallMs += run.wallMs
    cpuMs += run.cpuMs
    return ++count
  }, clock)
  return { runs: result, ms }
}

describe('the time of a run', () => {
  it('is that of the fastest of three short runs', async () => {
    const [cold, warm, disturbed] = [300, 100, 120].map((ms) => ({ wallMs: ms, cpuMs: ms }))
    expect(await time(cold!, warm!, disturbed!)).toEqual({ runs: 3, ms: 100 })
  })

  it('is that of one run if it takes long', async () => {
    expect(await time({ wallMs: 9_000, cpuMs: 9_000 })).toEqual({ runs: 1, ms: 9_000 })
  })

  it('is the processor time on a machine whose cores are busy', async () => {
    expect(await time({ wallMs: 16_000, cpuMs: 2_000 })).toEqual({ runs: 1, ms: 2_000 })
  })

  it('is the time on the clock with several threads on an idle machine', async () => {
    expect(await time({ wallMs: 2_000, cpuMs: 7_500 })).toEqual({ runs: 1, ms: 2_000 })
  })
})
