/** The settings that a server of a data directory would have. */
import { availableParallelism, totalmem } from 'node:os'
import { readConfig, readDataDirectory, type Config, type Machine, type RawSettings } from '../config'
import { readSettingsFile } from './settings'

/** The settings of a server of this directory that was started with these flags. */
export async function readServerConfig(flags: RawSettings): Promise<Config> {
  const { SONANT_EPHEMERAL: _, ...environment } = process.env
  const file = await readSettingsFile(readDataDirectory(flags, environment))
  return readConfig(flags, environment, file, machine())
}

export function machine(): Machine {
  return { cores: availableParallelism(), memoryBytes: totalmem() }
}
