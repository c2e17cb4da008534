/** Other processes, read from /proc, as a slim Debian has no `ps`. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

/** A process that ended but that nobody has collected yet (a zombie) does not run. */
export function isRunning(pid: number): boolean {
  const stat = readProc(`${pid}/stat`)
  // The state follows the name, which is in parentheses and may hold some itself.
  return stat !== '' && stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z'
}

/** The processes that any thread of `pid` started, running or not; none when it is gone. */
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
