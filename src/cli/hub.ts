/** `sonant voices search` and `sonant voices pull`: installing packs by name from a hub. */
import { existsSync } from 'node:fs'
import { runOperation } from '../admin/administration'
import { describeFound } from '../admin/installs'
import { databasePath, voicesDirectory, type Config } from '../config'
import { isLocked, lockDirectory } from '../db/lock'
import { retryWhileBusy } from '../db/statements'
import { AppError } from '../errors'
import { openHub } from '../packs/hub/client'
import { checkPackName, type PullPlan } from '../packs/hub/packs'
import { pullPack, type PullResult } from '../packs/hub/pull'
import { readHubIndex, searchIndex, type FoundPack } from '../packs/hub/search'
import { administrationOf, withDatabase } from './data'
import { readServerConfig } from './server-config'
import { voicesPull, voicesSearch } from './commands/voices'
import { exitCodes } from './failures'
import { readFlags, UsageError } from './flags'
import { format, write } from './print'
import { createProgress, formatBytes } from './progress'

export async function searchHub(args: string[]): Promise<void> {
  const { values, positionals } = readFlags('voices search', voicesSearch, args)
  const config = await readServerConfig(values)
  const words = positionals.flatMap((text) => text.split(/\s+/)).filter(Boolean)
  const found = await searchIndex(await readHubIndex(openHub({ address: config.hub })), words, voicesDirectory(config))
  if (values.json) return write([`${JSON.stringify({ items: found.map(describeFound), next_cursor: null })}\n`])
  if (found.length === 0) throw new AppError('not_found', `The hub has nothing that fits "${words.join(' ')}".`)
  const columns = ['name', 'language', 'quality', 'speakers', 'size', 'installed', 'description']
  await write([format({ items: found.map(describeRow) }, columns)])
  console.error('Install one: sonant voices pull NAME')
}

function describeRow({ languages, sizeBytes, ...pack }: FoundPack) {
  return { ...pack, language: languages, size: sizeBytes === null ? null : formatBytes(sizeBytes) }
}

export async function pullFromHub(args: string[]): Promise<void> {
  const { values, positionals } = readFlags('voices pull', voicesPull, args)
  const name = readName(positionals[0]!)
  const config = await readServerConfig(values)
  const progress = createProgress(process.stderr)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort(new Error('interrupted')))
  let result: PullResult
  try {
    result = await pullPack(name, {
      hub: openHub({ address: config.hub }),
      directory: voicesDirectory(config),
      minFreeBytes: config.minFreeBytes,
      lock: lockDirectory,
      signal: stop.signal,
      onPlan: (plan) => void (values.json || console.error(introduce(plan, config.hub))),
      onProgress: ({ receivedBytes, sizeBytes }) =>
        progress.update(
          sizeBytes === 0 ? 1 : receivedBytes / sizeBytes,
          `${formatBytes(receivedBytes)} of ${formatBytes(sizeBytes)}`,
        ),
      onWarning: (message) => {
        progress.end()
        console.error(`Note: ${message}.`)
      },
    })
  } catch (error) {
    progress.end()
    if (!stop.signal.aborted) throw error
    console.error('\nInterrupted. The same command goes on from here.')
    process.exit(exitCodes.interrupted)
  }
  progress.end()
  if (!result.wasThere) await logPull(config, values, result)
  if (values.json) return write([`${JSON.stringify(summarize(result))}\n`])
  await write([`${conclude(result, config)}\n`])
}

function readName(given: string): string {
  try {
    return checkPackName(given)
  } catch (error) {
    throw error instanceof AppError ? new UsageError(error.message.replace(/^name: /, 'pull: ')) : error
  }
}

/** Skips the log without a database: no server has used the data directory yet. */
async function logPull(config: Config, values: { data?: string }, { plan }: PullResult): Promise<void> {
  if (!existsSync(databasePath(config))) return
  const { repository, license } = plan
  const after = { hub: config.hub, repository: repository.id, commit: repository.commit, license }
  await withDatabase(values, async (db) => {
    const admin = administrationOf(db)
    await retryWhileBusy(() =>
      runOperation(admin, 'voices pull', () => ({ subject: plan.name, before: null, after, result: undefined })),
    )
  })
}

function summarize({ plan, directory, wasThere }: PullResult) {
  const { name, family, repository, license, sizeBytes } = plan
  const { id, commit } = repository
  return { name, family, directory, repository: id, commit, license, size_bytes: sizeBytes, was_installed: wasThere }
}

const cardLinesMax = 24

function introduce({ name, repository, license, card, sizeBytes }: PullPlan, hub: string): string {
  const lines = [
    `${name}: ${formatBytes(sizeBytes)} from ${hub}/${repository.id}, commit ${repository.commit.slice(0, 12)}`,
    `Licence: ${license ?? 'the hub does not say'}`,
  ]
  if (card === null) return lines.join('\n')
  // Third-party text: removes control characters and the YAML head.
  const text = card.replace(/^---\n[\s\S]*?\n---\n/, '').replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '')
  const shown = text.trim().split('\n')
  const rest = shown.length > cardLinesMax ? ['  … (the rest is in the pack)'] : []
  return [...lines, 'Model card:', ...shown.slice(0, cardLinesMax).map((line) => `  ${line}`.trimEnd()), ...rest].join(
    '\n',
  )
}

function conclude({ plan, directory, wasThere }: PullResult, config: Config): string {
  const done = wasThere ? `${plan.name} is installed already: ${directory}` : `${plan.name} is installed: ${directory}`
  return `${done}\n${nextStep(plan, isLocked(config.dataDirectory) === true)}`
}

function nextStep({ family }: PullPlan, isServing: boolean): string {
  if (family === 'converter') return 'It has no voices of its own: clones are made with it from now on.'
  const listed = 'sonant voices lists its voices'
  if (isServing) return `The running server finds it by itself; ${listed}.`
  return `Next: ${listed}; hear one with: sonant say "Hello" --voice ID`
}
