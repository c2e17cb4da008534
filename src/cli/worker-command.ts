/** How this program starts itself as a worker: the executable is itself, under `bun run` bun needs the script. */
import type { WorkerCommand } from '../speech/worker-process'

export function workerCommand(): WorkerCommand {
  const script = Bun.main
  const compiled = script.startsWith('/$bunfs/') || script.includes('~BUN')
  return compiled ? [process.execPath, 'worker'] : [process.execPath, script, 'worker']
}
