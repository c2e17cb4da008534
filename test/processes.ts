/** Reads other processes from /proc, because a slim Debian has no `ps`. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

/** Whether the process runs. A zombie does not. */
export function isRunning(pid: number): boolean {
  const stat = readProc(`${pid}/stat`)
  // The state follows the name, which is in parentheses and may itself contain parentheses.
  return stat !== '' && stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z'
}

/** Lists the children of all threads of `pid`, including zombies. Returns none when the process does not exist. */
export function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    readProc(`${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

/** Processor time that the process has used, in ticks of a hundredth of a second. */
export function ticksOf(pid: number): number {
  const stat = readProc(`${pid}/stat`)
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return user! + system!
}
