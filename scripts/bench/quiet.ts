/** Waits for the other programs of a shared machine, whose load would distort the measurements. */
import { cpus } from 'node:os'

const sampleMs = 300
const waitMsMax = 20_000
/** Where the machine was not quiet for that long, later calls wait only this long: there may be a hundred of them. */
const laterWaitMsMax = 600
const busyCoresMax = 0.2
let wasBusy = false

/** Returns when less than a fifth of a core is in use, or after a limit with a line on stderr, once in a row. */
export async function untilQuiet(): Promise<void> {
  const endAtMs = performance.now() + (wasBusy ? laterWaitMsMax : waitMsMax)
  for (;;) {
    const busyCores = await measureBusyCores()
    if (busyCores <= busyCoresMax) {
      wasBusy = false
      return
    }
    if (performance.now() > endAtMs) {
      if (!wasBusy) console.error(`The machine is not quiet: others use ${busyCores.toFixed(1)} cores.`)
      wasBusy = true
      return
    }
  }
}

async function measureBusyCores(): Promise<number> {
  const before = totalMs()
  await Bun.sleep(sampleMs)
  const after = totalMs()
  return (cpus().length * (after.busy - before.busy)) / (after.all - before.all)
}

function totalMs(): { busy: number; all: number } {
  let busy = 0
  let all = 0
  for (const { times } of cpus()) {
    const spent = times.user + times.nice + times.sys + times.irq
    busy += spent
    all += spent + times.idle
  }
  return { busy, all }
}
