/**
 * Every default and limit of the program. `readConfig` is pure. Flags take precedence over the environment
 * (`SONANT_…`), which takes precedence over `sonant.toml`.
 */
import { join, resolve } from 'node:path'
import { operationTimeoutsMs, type TimedOperation } from './config/limits'
import { logLevels, type LogLevel } from './log'

export { downloadLimits, limits, operationTimeoutsMs, type TimedOperation } from './config/limits'

export type Config = {
  readonly host: string
  /** 0 means any free port. */
  readonly port: number
  /** The address of the service for clients; undefined: where the server listens. */
  readonly baseUrl: string | undefined
  /** The address of the audio files for clients; undefined: `/audio` under the base URL. */
  readonly storageUrl: string | undefined
  /** Paths of PEM files; undefined: plain HTTP. */
  readonly tls: { readonly certPath: string; readonly keyPath: string } | undefined
  readonly dataDirectory: string
  /** Maximum number of parallel worker tasks. */
  readonly workers: number
  /** Latest deadline of a text that takes a slow voice long. Below a minute it is the deadline of every text. */
  readonly ttsSecondsMax: number
  /** Hz; undefined: each voice's own rate. */
  readonly mp3SampleRate: number | undefined
  /** Source of packs: a URL with the paths of https://huggingface.co. */
  readonly hub: string
  /** With less free disk space the service refuses to create files. */
  readonly minFreeBytes: number
  readonly rateLimits: RateLimits
  readonly neural: NeuralSettings
  /** Limit for one account. */
  readonly clonesMax: number
  /** Proxies whose `X-Forwarded-For` is trusted, as addresses and networks. */
  readonly trustedProxies: readonly string[]
  /** Non-public servers that customers may name for downloads, as HOST:PORT; the host in the form of a URL. */
  readonly cloneUrlAllow: readonly string[]
  /** Origins whose pages may use the interfaces, as `https://app.example`. */
  readonly corsOrigins: readonly string[]
  /** Names the installation in the balance. */
  readonly installation: { readonly slug: string; readonly name: string }
  /** The administrator's key on the first start; undefined: a new key, printed. */
  readonly adminKey: Secret | undefined
  /** Keeps all data in a temporary directory, for tests; undefined: in the data directory. */
  readonly ephemeral: Ephemeral | undefined
  readonly logLevel: LogLevel
  /** Where each setting comes from. */
  readonly sources: Readonly<Record<SettingName, SettingSource>>
}

export type SettingSource = 'flag' | 'environment' | 'sonant.toml' | 'default'

/** How neural voices are computed. */
export type NeuralSettings = {
  readonly provider: ComputeProvider
  /** Path of an operator's own onnxruntime; undefined: the embedded one. */
  readonly libraryPath: string | undefined
  /** Numbers of the GPUs to use; empty: chosen by the runtime. */
  readonly gpuDevices: readonly number[]
  /** Limit for all loaded models together. */
  readonly modelMemoryBytes: number
  /** A model without use for this time is unloaded. */
  readonly modelIdleSeconds: number
  /** Sentences of one voice per run of its graph; 1: no batches. */
  readonly batchMax: number
}

/** The machine that runs the program. */
export type Machine = { readonly cores: number; readonly memoryBytes: number }

/** Calls per minute; 0: no limit. */
export type RateLimits = {
  readonly tts: number
  readonly clone: number
  readonly voices: number
  /** The voice list, per address without a key. */
  readonly anonymous: number
  /** Balance, account, usage, estimate and activation, each separately. */
  readonly account: number
}

export type Secret = {
  readonly value: string
  /** A key from the environment is never printed. */
  readonly isPrintable: boolean
}

export type Ephemeral = {
  /** The ordinary account's key; undefined: a random one. */
  readonly apiKey: Secret | undefined
  readonly balance: number
  /** Path of a JSON file with initial accounts, keys, groups, codes and voices. */
  readonly seedPath: string | undefined
}

/** A setting as given: a flag is a string, a list, `true` or absent; `sonant.toml` may also hold numbers. */
export type RawSettings = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export type Environment = Readonly<Record<string, string | undefined>>

/** An invalid setting; the message is for the person at the terminal. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export const settingNames = [
  'host',
  'port',
  'base-url',
  'storage-url',
  'data',
  'tls-cert',
  'tls-key',
  'workers',
  'tts-seconds-max',
  'mp3-sample-rate',
  'provider',
  'ort-library',
  'gpu-devices',
  'model-memory-bytes',
  'model-idle-seconds',
  'batch-max',
  'hub',
  'min-free-bytes',
  'limit-tts',
  'limit-clone',
  'limit-voices',
  'limit-account',
  'clones-max',
  'trusted-proxy',
  'clone-url-allow',
  'cors-origin',
  'app-slug',
  'app-name',
  'ephemeral',
  'api-key',
  'admin-key',
  'balance',
  'seed',
  'log-level',
] as const
export type SettingName = (typeof settingNames)[number]

/** Settings not allowed in `sonant.toml`: its own location, and those of a single start. */
const notInFile: readonly SettingName[] = ['data', 'ephemeral', 'api-key', 'admin-key', 'balance', 'seed']
/** Settings that require `--ephemeral`. */
const onlyEphemeral: readonly SettingName[] = ['api-key', 'balance', 'seed']

/** The compute providers of neural voices; `auto`: the best working one. */
export const computeProviders = ['auto', 'cpu', 'webgpu', 'cuda', 'coreml', 'dml'] as const
export type ComputeProvider = (typeof computeProviders)[number]
const gpuDevicesMax = 64
/** No request lasts longer: held units and Bun's connections outlast this. */
const ttsSecondsLimit = operationTimeoutsMs.clone / 1000
/** The share of the machine's memory for models; at least enough for a small one. */
const modelMemoryShare = 0.5
const modelMemoryBytesMin = 256 << 20
const rateLimitMax = 100_000
const keyCharactersMin = 32
const ephemeralKeyCharactersMin = 8
/** Maximum balance of an account: exact in a double, and so is the sum over thousands of accounts. */
export const unitsMax = 1_000_000_000_000

const mp3SampleRates = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000]

/**
 * Merges the three sources and checks every value. Throws `ConfigError` that names the setting, what was found and
 * what is allowed.
 */
export function readConfig(
  flags: RawSettings,
  environment: Environment,
  file: RawSettings,
  { cores, memoryBytes }: Machine,
): Config {
  const allowed = settingNames.filter((name) => !notInFile.includes(name)) as readonly string[]
  for (const name of Object.keys(file))
    if (!allowed.includes(name))
      throw new ConfigError(`sonant.toml: unknown setting "${name}"; allowed are ${allowed.join(', ')}`)
  const given = (name: SettingName): string | undefined => {
    const value = flags[name] ?? environment[environmentName(name)] ?? file[name]
    return value === undefined || value === '' ? undefined : String(value)
  }
  const integer = (name: SettingName, fallback: number, min: number, max: number): number => {
    const text = given(name)
    if (text === undefined) return fallback
    const value = Number(text)
    if (!Number.isInteger(value) || value < min || value > max)
      throw new ConfigError(`--${name}: found "${text}"; allowed is a whole number from ${min} to ${max}`)
    return value
  }
  const oneOf = <T extends string | number>(name: SettingName, allowed: readonly T[]): T | undefined => {
    const text = given(name)
    if (text === undefined) return undefined
    const found = allowed.find((value) => String(value) === text)
    if (found === undefined) throw new ConfigError(`--${name}: found "${text}"; allowed is ${allowed.join(', ')}`)
    return found
  }
  const url = (name: SettingName): string | undefined => {
    const text = given(name)
    if (text === undefined) return undefined
    const parsed = URL.parse(text)
    if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.search || parsed.hash || parsed.username)
      throw new ConfigError(`--${name}: found "${text}"; allowed is an http or https address without query`)
    return text.replace(/\/+$/, '')
  }
  const secret = (name: SettingName, charactersMin: number): Secret | undefined => {
    const value = given(name)
    if (value === undefined) return undefined
    if (value.length < charactersMin || !/^[\x21-\x7e]{1,256}$/.test(value))
      throw new ConfigError(`--${name}: ${charactersMin} to 256 characters without spaces are required`)
    return { value, isPrintable: flags[name] !== undefined }
  }
  const [certPath, keyPath] = [given('tls-cert'), given('tls-key')]
  if (!certPath !== !keyPath)
    throw new ConfigError(`--tls-cert and --tls-key: found only --tls-${certPath ? 'cert' : 'key'}; they go together`)
  const ephemeral = /^(true|1)$/.test(oneOf('ephemeral', ['true', 'false', '1', '0']) ?? '')
  const misplaced = ephemeral
    ? flags.data !== undefined && 'data'
    : [...onlyEphemeral, 'admin-key' as const].find((name) => flags[name] !== undefined)
  if (misplaced) throw new ConfigError(`--${misplaced} ${ephemeral ? 'does not go' : 'goes only'} with --ephemeral`)
  return {
    host: given('host') ?? '127.0.0.1',
    port: integer('port', ephemeral ? 0 : 7788, 0, 65535),
    baseUrl: url('base-url'),
    storageUrl: url('storage-url'),
    tls: certPath && keyPath ? { certPath, keyPath } : undefined,
    dataDirectory: readDataDirectory(flags, environment),
    workers: integer('workers', Math.max(1, cores), 1, 256),
    ttsSecondsMax: integer('tts-seconds-max', 120, 5, ttsSecondsLimit),
    mp3SampleRate: oneOf('mp3-sample-rate', mp3SampleRates),
    hub: url('hub') ?? 'https://huggingface.co',
    minFreeBytes: integer('min-free-bytes', 64 << 20, 0, Number.MAX_SAFE_INTEGER),
    rateLimits: readRateLimits((name, fallback) => integer(name, fallback, 0, rateLimitMax)),
    neural: {
      provider: oneOf('provider', computeProviders) ?? 'auto',
      libraryPath: given('ort-library'),
      gpuDevices: given('gpu-devices')?.split(',').map(readDevice) ?? [],
      modelMemoryBytes: integer(
        'model-memory-bytes',
        Math.max(modelMemoryBytesMin, Math.floor(memoryBytes * modelMemoryShare)),
        modelMemoryBytesMin,
        Number.MAX_SAFE_INTEGER,
      ),
      modelIdleSeconds: integer('model-idle-seconds', 600, 1, 1_000_000),
      batchMax: integer('batch-max', 1, 1, 64),
    },
    clonesMax: integer('clones-max', 1000, 0, 1_000_000),
    trustedProxies: given('trusted-proxy')?.split(',') ?? [],
    cloneUrlAllow: given('clone-url-allow')?.split(',').map(readHostAndPort) ?? [],
    corsOrigins: given('cors-origin')?.split(',').map(readOrigin) ?? [],
    installation: { slug: given('app-slug') ?? 'sonant', name: given('app-name') ?? 'Sonant' },
    adminKey: secret('admin-key', ephemeral ? ephemeralKeyCharactersMin : keyCharactersMin),
    ephemeral: ephemeral
      ? {
          apiKey: secret('api-key', ephemeralKeyCharactersMin),
          balance: integer('balance', 100_000, 0, unitsMax),
          seedPath: given('seed'),
        }
      : undefined,
    logLevel: oneOf('log-level', logLevels) ?? 'info',
    sources: findSources(flags, environment, file),
  }
}

function readRateLimits(limit: (name: SettingName, fallback: number) => number): RateLimits {
  return {
    tts: limit('limit-tts', 60),
    clone: limit('limit-clone', 10),
    voices: limit('limit-voices', 120),
    anonymous: limit('limit-voices', 60),
    account: limit('limit-account', 120),
  }
}

/** An empty value counts as none, and hides those of the sources behind it. */
function findSources(flags: RawSettings, environment: Environment, file: RawSettings): Config['sources'] {
  const sourceOf = (name: SettingName): SettingSource => {
    const found: [SettingSource, unknown][] = [
      ['flag', flags[name]],
      ['environment', environment[environmentName(name)]],
      ['sonant.toml', file[name]],
    ]
    const [source, value] = found.find(([, given]) => given !== undefined && given !== null) ?? ['default', '']
    return value === '' ? 'default' : source
  }
  return Object.fromEntries(settingNames.map((name) => [name, sourceOf(name)])) as Config['sources']
}

/** The data directory, which may hold `sonant.toml`; so it cannot be set in that file. */
export function readDataDirectory(flags: RawSettings, environment: Environment): string {
  return resolve(String(flags.data || environment[environmentName('data')] || 'data'))
}

/** Time limit of an operation at first, from the head of its request. A text may get more, for a slow voice. */
export function operationTimeoutMs(
  operation: TimedOperation,
  { ttsSecondsMax }: Pick<Config, 'ttsSecondsMax'>,
): number {
  const timeoutMs = operationTimeoutsMs[operation]
  return operation === 'tts' ? Math.min(timeoutMs, ttsSecondsMax * 1000) : timeoutMs
}

function readDevice(text: string): number {
  const device = Number(text)
  if (!/^\d+$/.test(text.trim()) || device >= gpuDevicesMax)
    throw new ConfigError(
      `--gpu-devices: found "${text}"; allowed are numbers from 0 to ${gpuDevicesMax - 1}, such as 0,1`,
    )
  return device
}

/** Normalizes the host as in a parsed URL. */
function readHostAndPort(text: string): string {
  const [, host = '', portText = ''] = /^(\[[^\]]+\]|[^*:/?#@\\\s]+):(\d{1,5})$/.exec(text.trim()) ?? []
  const hostname = URL.parse(`http://${host}/`)?.hostname
  const port = Number(portText)
  if (!hostname || port < 1 || port > 65535)
    throw new ConfigError(
      `--clone-url-allow: found "${text}"; allowed is HOST:PORT, such as files.intranet:8080 or [fd00::5]:80`,
    )
  return `${hostname}:${port}`
}

function environmentName(name: SettingName): string {
  return `SONANT_${name.toUpperCase().replaceAll('-', '_')}`
}

export const databasePath = ({ dataDirectory }: Pick<Config, 'dataDirectory'>) => join(dataDirectory, 'sonant.db')
export const audioDirectory = ({ dataDirectory }: Pick<Config, 'dataDirectory'>) => join(dataDirectory, 'audio')
/** Folder of the model packs. */
export const voicesDirectory = ({ dataDirectory }: Pick<Config, 'dataDirectory'>) => join(dataDirectory, 'voices')
/** Folder of the libraries that the executable extracts. */
export const runtimeDirectory = ({ dataDirectory }: Pick<Config, 'dataDirectory'>) => join(dataDirectory, 'runtime')
export const referencesDirectory = ({ dataDirectory }: Pick<Config, 'dataDirectory'>) =>
  join(dataDirectory, 'references')

/** An origin as browsers send it (RFC 6454). */
function readOrigin(text: string): string {
  const url = URL.parse(text.trim())
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` && !text.trim().endsWith('/')
  if (isOrigin) return url.origin
  throw new ConfigError(
    `--cors-origin: found "${text}"; allowed is the origin of a page, such as https://app.example or http://localhost:3000`,
  )
}
