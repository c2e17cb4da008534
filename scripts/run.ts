/** Shared code of the entry scripts. They run before anything is installed, so they import nothing but Bun and Node. */
import { rename } from 'node:fs/promises'
import { join } from 'node:path'

export const root = join(import.meta.dir, '..')

/** Runs a command in the foreground, forwards signals, and ends this process with its exit code if that is not 0. */
export async function run(command: string[], { cwd = root, env }: { cwd?: string; env?: Record<string, string> } = {}) {
  const child = Bun.spawn(command, {
    cwd,
    // For scripts and tests that run a model in their own process.
    env: { ...process.env, ORT_DISABLE_TELEMETRY: '1', ...env },
    stdio: ['inherit', 'inherit', 'inherit'],
  })
  const handOn = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGINT', handOn)
  process.on('SIGTERM', handOn)
  const exitCode = await child.exited
  process.off('SIGINT', handOn)
  process.off('SIGTERM', handOn)
  if (exitCode !== 0) process.exit(exitCode)
}

/** Installs the dependencies exactly as locked; quick when they are there already. */
export async function install(): Promise<void> {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'install', '--frozen-lockfile'], { cwd: root })
  if (exitCode === 0) return
  console.error(stderr.toString())
  process.exit(exitCode)
}

/**
 * Writes a file that another process may be reading, such as a table of the source during a run of the tests. `Bun.write`
 * empties the file first, so that a reader finds JSON that ends early.
 */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  await Bun.write(temporary, content)
  await rename(temporary, path)
}
