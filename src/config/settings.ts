/** The settings in force, for administrators: each with its value and where it comes from. */
import type { Config, SettingName, SettingSource } from '../config'

export type SettingInForce = {
  readonly name: SettingName
  /** As a flag would have it; lists are joined with commas. null: not set. */
  readonly value: string | number | boolean | null
  readonly source: SettingSource
}

/** Replaces a secret. */
const hidden = '********'

type Value = string | number | boolean | readonly (string | number)[] | undefined

/** Secrets are hidden. */
export function listSettings(config: Config): SettingInForce[] {
  const { neural, rateLimits, installation, tls, ephemeral } = config
  const values: Record<SettingName, Value> = {
    host: config.host,
    port: config.port,
    'base-url': config.baseUrl,
    'storage-url': config.storageUrl,
    data: config.dataDirectory,
    'tls-cert': tls?.certPath,
    'tls-key': tls?.keyPath,
    workers: config.workers,
    'tts-seconds-max': config.ttsSecondsMax,
    'mp3-sample-rate': config.mp3SampleRate,
    provider: neural.provider,
    'ort-library': neural.libraryPath,
    'gpu-devices': neural.gpuDevices,
    'model-memory-bytes': neural.modelMemoryBytes,
    'model-idle-seconds': neural.modelIdleSeconds,
    'batch-max': neural.batchMax,
    hub: config.hub,
    'min-free-bytes': config.minFreeBytes,
    'limit-tts': rateLimits.tts,
    'limit-clone': rateLimits.clone,
    'limit-voices': rateLimits.voices,
    'limit-account': rateLimits.account,
    'clones-max': config.clonesMax,
    'trusted-proxy': config.trustedProxies,
    'clone-url-allow': config.cloneUrlAllow,
    'cors-origin': config.corsOrigins,
    'app-slug': installation.slug,
    'app-name': installation.name,
    ephemeral: ephemeral !== undefined,
    'api-key': ephemeral?.apiKey && hidden,
    'admin-key': config.adminKey && hidden,
    balance: ephemeral?.balance,
    seed: ephemeral?.seedPath,
    'log-level': config.logLevel,
  }
  return (Object.keys(values) as SettingName[]).map((name) => {
    return { name, value: plain(values[name]), source: config.sources[name] }
  })
}

function plain(value: Value): SettingInForce['value'] {
  if (value === undefined) return null
  if (typeof value !== 'object') return value
  return value.length === 0 ? null : value.join(',')
}
