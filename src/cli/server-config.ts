/** The settings of a server, as a verb beside it computes them. */
import { availableParallelism, totalmem } from 'node:os'
import { readConfig, readDataDirectory, type Config, type Machine, type RawSettings } from '../config'
import { readSettingsFile } from './settings'

/** The settings of a server with this directory and these flags. */
export async function readServerConfig(flags: RawSettings): Promise<Config> {
  const { SONANT_EPHEMERAL: _, ...environment } = process.env
  const file = await readSettingsFile(readDataDirectory(flags, environment))
  return readConfig(flags, environment, file, machine())
}

export function machine(): Machine {
  return { cores: availableParallelism(), memoryBytes: totalmem() }
}
