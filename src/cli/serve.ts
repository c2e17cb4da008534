/** `sonant serve`: one JSON line on stdout when ready, the friendly words and the logs on stderr. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { buildApp, type App } from '../app'
import { ConfigError, readConfig, readDataDirectory, settingNames, type RawSettings } from '../config'
import { createLogger } from '../log'
import { readFlags } from './flags'
import { workerCommand } from './worker-command'

export async function serve(args: string[]): Promise<void> {
  const options = Object.fromEntries(settingNames.map((name) => [name, { type: 'string' as const }]))
  const flags = readFlags(args, options).values as RawSettings
  const file = await readSettingsFile(readDataDirectory(flags, process.env))
  const config = readConfig(flags, process.env, file, { cores: availableParallelism() })
  const log = createLogger(config.logLevel)
  const app = await buildApp(config, workerCommand(), log)
  stopOnSignal(app, log)
  if (app.firstApiKey) console.error(welcome(app))
  log.info({ baseUrl: app.baseUrl, workers: config.workers, data: config.dataDirectory }, 'ready')
  const { baseUrl: base_url, storageUrl: storage_url, firstApiKey: api_key } = app
  console.log(JSON.stringify({ ready: true, base_url, storage_url, ...(api_key && { api_key }) }))
  await app.startBackground()
}

function stopOnSignal(app: App, log: ReturnType<typeof createLogger>): void {
  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    await app.close()
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop('SIGTERM'))
  process.on('SIGINT', () => void stop('SIGINT'))
}

async function readSettingsFile(dataDirectory: string): Promise<RawSettings> {
  const file = Bun.file(join(dataDirectory, 'sonant.toml'))
  if (!(await file.exists())) return {}
  try {
    return Bun.TOML.parse(await file.text()) as RawSettings
  } catch (error) {
    throw new ConfigError(`sonant.toml: ${(error as Error).message}`)
  }
}

function welcome({ baseUrl, firstApiKey }: App): string {
  return `
  Sonant is ready at ${baseUrl}

  Your API key, shown this once:  ${firstApiKey}

  Try it:
    curl ${baseUrl}/api/v1/tts \\
      -H 'Authorization: Bearer ${firstApiKey}' \\
      -H 'Content-Type: application/json' \\
      -d '{"text":"Hello! This is my first sentence."}'
`
}
