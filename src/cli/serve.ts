/** `sonant serve`: prints one JSON line on stdout when ready; the greeting and the log go to stderr. */
import { buildApp, type App, type Unattended } from '../app'
import { readConfig, readDataDirectory, type Config, type RawSettings } from '../config'
import { createLogger, type Logger } from '../log'
import { machine } from './server-config'
import { serve as command } from './commands/serve'
import { readFlags } from './flags'
import { readSecretFiles, readSettingsFile } from './settings'
import { ownCommand } from './own-command'
import { obeySignals, type Stoppable } from './signals'
import { offerLink, welcome } from './welcome'

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
  const isTerminal = process.stderr.isTTY
  const { baseUrl: base_url, storageUrl: storage_url, made } = app
  const { apiKey: api_key, adminKey: admin_key, accountNumber: account_number, setupUrl: setup_url } = made
  if (api_key && setup_url)
    greet(welcome({ baseUrl: base_url, dataDirectory, apiKey: api_key, setupUrl: setup_url, isTerminal }))
  else if (app.unattended) offerSetup(app.unattended, { baseUrl: base_url, dataDirectory, isTerminal }, log)
  log.info({ baseUrl: base_url, dataDirectory }, 'ready')
  console.log(JSON.stringify({ ready: true, base_url, storage_url, api_key, admin_key, account_number, setup_url }))
  whenReady?.()
  await app.startBackground()
}

/**
 * Shows a new setup link on a terminal only: a journal keeps what it gets, and a server that is used without its console
 * restarts often.
 */
function offerSetup(
  { accountNumber, makeSetupLink }: Unattended,
  { baseUrl, dataDirectory, isTerminal }: { baseUrl: string; dataDirectory: string; isTerminal: boolean },
  log: Logger,
): void {
  try {
    if (isTerminal) return greet(offerLink(makeSetupLink()))
    const command = `sonant account invite ${accountNumber} --data ${shellWord(dataDirectory)} --base-url ${shellWord(baseUrl)}`
    log.info({ command }, 'no person administrates this server; the command makes a link to sign in')
  } catch (error) {
    log.warn({ err: error }, 'no link to sign in was made')
  }
}

/** `console.error` would colour it red on a terminal. */
function greet(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Quotes a word for the shell where needed. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Logs an uncaught error instead of ending the process, which would fail all other requests. */
function surviveFaults(log: Logger): void {
  process.on('uncaughtException', (error) => log.error({ err: error }, 'uncaught exception'))
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
}
