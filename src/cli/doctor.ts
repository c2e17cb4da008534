/** `sonant doctor`: tests every requirement of the service on this machine by a real run. */
import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { computeProviders, type Config, type RawSettings } from '../config'
import { ensureNothingLost } from '../data-directory'
import { createLogger } from '../log'
import type { ProviderChoice } from '../workers/compute'
import { deviceName, gpuNames } from '../speech/onnx/devices'
import { computeOf } from '../workers/speech-workers'
import { commit, version } from '../version'
import { readServerConfig } from './server-config'
import { doctor as command } from './commands/general'
import { readFlags } from './flags'
import { ownCommand } from './own-command'

/** `no`: unavailable, but not required. */
type Finding = { readonly subject: string; readonly state: 'ok' | 'no' | 'bad'; readonly says: string }

/** Exits with 1 when a configured feature does not work. */
export async function diagnoseMachine(args: string[]): Promise<void> {
  const { values } = readFlags('doctor', command, args)
  const config = await readServerConfig(values as RawSettings)
  const findings: Finding[] = [
    { subject: 'sonant', state: 'ok', says: `${version} (${commit}), ${process.platform} ${process.arch}` },
    { subject: 'machine', state: 'ok', says: describeMachine() },
    await findDirectory(config),
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

/** Tests every provider; the configured one comes last, as the result. */
async function findCompute(config: Config): Promise<Finding[]> {
  const { neural } = config
  const compute = computeOf(config, { command: ownCommand('worker'), log: createLogger('silent') })
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
