/** Where the processes of this program keep the unpacked library of onnxruntime. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { runtimeDirectory, type Config } from '../config'

/**
 * The folder in the data directory. Without a lasting data directory it is one in the user's cache, if that can be
 * written: then only the first ephemeral server, or `sonant say`, takes the time to unpack 46 MB.
 */
export function chooseRuntimeDirectory(config: Pick<Config, 'dataDirectory' | 'ephemeral'>): string {
  const own = runtimeDirectory(config)
  const isLasting = !config.ephemeral && existsSync(config.dataDirectory)
  return isLasting ? own : (openCache() ?? own)
}

function openCache(): string | undefined {
  const { XDG_CACHE_HOME: given = '' } = process.env
  const directory = join(isAbsolute(given) ? given : join(homedir(), '.cache'), 'sonant/runtime')
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.W_OK | constants.X_OK)
    return directory
  } catch {
    return undefined
  }
}
