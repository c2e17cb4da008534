/** Waits for the other programs of a shared machine, whose load would distort the measurements. */
import { cpus } from 'node:os'

const sampleMs = 300
const waitMsMax = 20_000
const busyCoresMax = 0.2

/** Returns when less than a fifth of a core is in use, or after a limit with a line on stderr. */
export async function untilQuiet(): Promise<void> {
  const endAtMs = performance.now() + waitMsMax
  for (;;) {
    const busyCores = await measureBusyCores()
    if (busyCores <= busyCoresMax) return
    if (performance.now() > endAtMs) {
      console.error(`The machine is not quiet: others use ${busyCores.toFixed(1)} cores.`)
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
