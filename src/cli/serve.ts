/** `sonant serve`: prints one JSON line on stdout when ready; the greeting and the log go to stderr. */
import { buildApp, type App } from '../app'
import { readConfig, readDataDirectory, type Config, type RawSettings } from '../config'
import { createLogger, type Logger } from '../log'
import { machine } from './server-config'
import { serve as command } from './commands/serve'
import { readFlags } from './flags'
import { readSecretFiles, readSettingsFile } from './settings'
import { ownCommand } from './own-command'
import { obeySignals, type Stoppable } from './signals'
import { welcome } from './welcome'

export async function serve(args: string[]): Promise<void> {
  const handOver = obeySignals()
  const flags: RawSettings = readFlags('serve', command, args).values
  const environment = await readSecretFiles(process.env)
  const isEphemeral = flags.ephemeral ?? /^(1|true)$/.test(environment.SONANT_EPHEMERAL ?? '')
  const file = isEphemeral ? {} : await readSettingsFile(readDataDirectory(flags, environment))
  const config = readConfig(flags, environment, file, machine())
  const log = createLogger(config.logLevel)
  const commands = { worker: ownCommand('worker'), downloader: ownCommand('downloader') }
  if (!config.ephemeral) return run(await buildApp(config, commands, log), config, log, handOver)
  const ephemeral = await import('./ephemeral')
  const dataDirectory = ephemeral.createEphemeralDirectory()
  const remove = () => ephemeral.removeEphemeralDirectory(dataDirectory)
  process.on('exit', remove)
  const moved = { ...config, dataDirectory }
  const app = await buildApp(moved, commands, log)
  await run(app, moved, log, handOver, () => ephemeral.removeAbandonedDirectories(log))
}

async function run(
  app: App,
  { dataDirectory }: Config,
  log: Logger,
  handOver: (stoppable: Stoppable) => void,
  whenReady?: () => void,
): Promise<void> {
  surviveFaults(log)
  handOver({ app, log })
  const { baseUrl: base_url, storageUrl: storage_url, made } = app
  const { apiKey: api_key, adminKey: admin_key, accountNumber: account_number } = made
  if (api_key && !account_number)
    console.error(welcome({ baseUrl: base_url, dataDirectory, apiKey: api_key, isTerminal: process.stderr.isTTY }))
  log.info({ baseUrl: base_url, dataDirectory }, 'ready')
  console.log(JSON.stringify({ ready: true, base_url, storage_url, api_key, admin_key, account_number }))
  whenReady?.()
  await app.startBackground()
}

/** Logs an uncaught error instead of ending the process, which would fail all other requests. */
function surviveFaults(log: Logger): void {
  process.on('uncaughtException', (error) => log.error({ err: error }, 'uncaught exception'))
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
}
