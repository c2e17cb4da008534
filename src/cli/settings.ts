/** The sources of settings besides flags: the environment, files of secrets, `sonant.toml`. */
import { join } from 'node:path'
import { ConfigError, type Environment, type RawSettings } from '../config'
import { readNamedFile } from '../starting'

export async function readSettingsFile(dataDirectory: string): Promise<RawSettings> {
  const file = Bun.file(join(dataDirectory, 'sonant.toml'))
  if (!(await file.exists())) return {}
  try {
    return Bun.TOML.parse(await file.text()) as RawSettings
  } catch (error) {
    throw new ConfigError(`sonant.toml: ${(error as Error).message}`)
  }
}

const secretVariables = ['SONANT_ADMIN_KEY', 'SONANT_API_KEY']

/** Reads secrets from files: `NAME_FILE` holds the path of the file for the variable `NAME`. */
export async function readSecretFiles(environment: Environment): Promise<Environment> {
  const secrets: Record<string, string> = {}
  for (const name of secretVariables) {
    const path = environment[`${name}_FILE`]
    if (!path) continue
    const secret = (await readNamedFile(`${name}_FILE`, path)).trim()
    if (secret === '') throw new ConfigError(`${name}_FILE: found nothing in ${path}; a key is required`)
    secrets[name] = secret
  }
  return { ...environment, ...secrets }
}
