/** `sonant doctor`: tests every requirement of the service on this machine by a real run. */
import { constants, existsSync } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { dirname } from 'node:path'
import {
  computeProviders,
  databasePath,
  readDataDirectory,
  runtimeDirectory,
  type Config,
  type RawSettings,
} from '../config'
import { ensureNothingLost } from '../data-directory'
import { createLogger } from '../log'
import type { ProviderChoice } from '../workers/compute'
import { adviceFor } from '../packs/advice'
import { deviceName, gpuNames } from '../speech/onnx/devices'
import { computeOf } from '../workers/speech-workers'
import { commit, version } from '../version'
import { readCatalogue, type Catalogue } from '../voice/catalogue'
import { explainDefault, type DefaultVoice } from '../voice/default-voice'
import { createPlans } from '../voice/plans'
import { withDatabase } from './data'
import { readDirectoryCatalogue } from './directory-catalogue'
import { openPackRegistry } from './pack-registry'
import { readServerConfig } from './server-config'
import { doctor as command } from './commands/general'
import { readFlags } from './flags'
import { ownCommand } from './own-command'

/** `no`: unavailable, but not required. `warn`: it works, but not for everything. */
type Finding = { readonly subject: string; readonly state: 'ok' | 'no' | 'warn' | 'bad'; readonly says: string }

/** Exits with 1 when a configured feature does not work. */
export async function diagnoseMachine(args: string[]): Promise<void> {
  const { values } = readFlags('doctor', command, args)
  const config = await readServerConfig(values as RawSettings)
  const findings: Finding[] = [
    { subject: 'sonant', state: 'ok', says: `${version} (${commit}), ${process.platform} ${process.arch}` },
    { subject: 'machine', state: 'ok', says: describeMachine() },
    await findDirectory(config),
    await findDefaultVoice(values as RawSettings),
    ...(await findSlowPacks(values as RawSettings)),
    ...(await findCompute(config)),
  ]
  const isWell = findings.every(({ state }) => state !== 'bad')
  if (values.json) console.log(JSON.stringify({ ok: isWell, findings }))
  else for (const { subject, state, says } of findings) console.log(`${state.padEnd(4)} ${subject.padEnd(9)}  ${says}`)
  if (!isWell) process.exitCode = 1
}

function describeMachine(): string {
  const gpus = gpuNames()
  const memory = `${(totalmem() / 1e9).toFixed(1)} GB of memory`
  return [`${availableParallelism()} cores`, deviceName('cpu'), memory, gpus.join(', ') || 'no GPU seen'].join(', ')
}

async function findDirectory({ dataDirectory, minFreeBytes }: Config): Promise<Finding> {
  const subject = 'data'
  try {
    const existing = await nearestExisting(dataDirectory)
    await access(existing, constants.W_OK)
    ensureNothingLost(dataDirectory)
    const { bavail, bsize } = await statfs(existing)
    const freeBytes = bavail * bsize
    const made = existing === dataDirectory ? '' : ', not made yet'
    const says = `${dataDirectory}${made}, ${(freeBytes / 1e9).toFixed(1)} GB free`
    if (freeBytes >= minFreeBytes) return { subject, state: 'ok', says }
    return { subject, state: 'bad', says: `${says}; at least ${minFreeBytes} bytes are required (--min-free-bytes)` }
  } catch (error) {
    return { subject, state: 'bad', says: (error as Error).message }
  }
}

async function nearestExisting(path: string): Promise<string> {
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  return exists || dirname(path) === path ? path : nearestExisting(dirname(path))
}

/** The voice of requests that name none, in the data directory or in a new one. */
async function findDefaultVoice(flags: RawSettings): Promise<Finding> {
  const subject = 'voice'
  try {
    const catalogue = await readDirectoryCatalogue(flags)
    const registry = await openPackRegistry(flags, catalogue)
    await registry.close()
    const { id, available, reason } = await explainIn(flags, catalogue)
    return { subject, state: available ? 'ok' : 'bad', says: id === null ? reason : `${id} is the default: ${reason}` }
  } catch (error) {
    return { subject, state: 'bad', says: (error as Error).message }
  }
}

/** The settings of a voice that no administrator changed. */
const unchanged = { featured: false, active: true, public: true }

/** Without a database no voice has settings. */
async function explainIn(flags: RawSettings, catalogue: Catalogue): Promise<DefaultVoice> {
  const path = databasePath({ dataDirectory: readDataDirectory(flags, process.env) })
  if (existsSync(path)) return withDatabase(flags, (db) => explainDefault(catalogue, createPlans(db, catalogue)))
  return explainDefault(catalogue, { defaultIdFor: () => catalogue.ids[0], settingsOf: () => unchanged })
}

/** The packs that are too slow for this machine, as the server or a verb measured them. */
async function findSlowPacks(flags: RawSettings): Promise<Finding[]> {
  const registry = await openPackRegistry(flags, readCatalogue())
  await registry.close()
  return registry.packs.flatMap((pack) => {
    const advice = adviceFor(pack)
    if (advice === null) return []
    const factor = pack.pace!.realTimeFactor.toPrecision(2)
    return { subject: 'pack', state: 'warn', says: `${pack.name} is slow: real-time factor ${factor}. ${advice}` }
  })
}

/** Tests every provider; the configured one comes last, as the result. */
async function findCompute(config: Config): Promise<Finding[]> {
  const { neural } = config
  const compute = computeOf(config, {
    command: ownCommand('worker'),
    directory: runtimeDirectory(config),
    log: createLogger('silent'),
  })
  const findings: Finding[] = []
  for (const provider of computeProviders) {
    if (provider === 'auto' || provider === neural.provider) continue
    const { failure, runMs } = await compute.attempt(provider)
    findings.push(
      failure === null
        ? { subject: provider, state: 'ok', says: `works, a billion operations in ${runMs!.toFixed(1)} ms` }
        : { subject: provider, state: 'no', says: failure },
    )
  }
  try {
    const found = await compute.find()
    const state = found.isFallback ? 'bad' : 'ok'
    return [...findings, { subject: 'neural', state, says: describeFound(found, neural.provider) }]
  } catch (error) {
    return [...findings, { subject: 'neural', state: 'bad', says: (error as Error).message }]
  }
}

function describeFound({ provider, device, isFallback, threads, trials }: ProviderChoice, wish: string): string {
  const on = `on ${provider}: ${device}, ${threads} thread${threads === 1 ? '' : 's'} per worker`
  if (!isFallback) return `voices are computed ${on}`
  const failure = trials.find((trial) => trial.provider === wish)?.failure
  return `${wish} does not work (${failure}), neural voices would be computed ${on}`
}
