/** `sonant serve`: its settings. Each is a flag, an environment variable and a line of `sonant.toml`. */
import type { settingNames } from '../../config'
import type { Command, Flag } from './description'

type ServeFlag = Exclude<(typeof settingNames)[number], 'data'>

const flags = {
  host: { takes: 'HOST', says: 'address to listen on (default 127.0.0.1); 0.0.0.0 for all' },
  port: { takes: 'N', says: 'default 7788; 0: any free port' },
  'base-url': { takes: 'URL', says: 'address for clients behind a proxy' },
  'storage-url': { takes: 'URL', says: 'address of the audio behind a CDN' },
  'tls-cert': { takes: 'FILE', says: 'certificate chain in PEM, to serve HTTPS; needs --tls-key' },
  'tls-key': { takes: 'FILE', says: 'private key of the certificate in PEM' },
  workers: { takes: 'N', says: 'parallel worker tasks (default: one per core)' },
  'tts-seconds-max': { takes: 'N', says: 'most time for a text that a slow voice speaks (5 to 240, default 120)' },
  'mp3-sample-rate': { takes: 'HZ', says: "sample rate of every mp3 (default: the voice's own)" },
  provider: { takes: 'auto|cpu|webgpu|cuda|coreml|dml', says: 'compute provider of neural voices' },
  'ort-library': { takes: 'FILE', says: 'path of your own onnxruntime, for CUDA' },
  'gpu-devices': { takes: 'N,N,…', says: 'numbers of the GPUs to use' },
  'model-memory-bytes': { takes: 'N', says: "memory limit of all loaded models (default: half of the machine's)" },
  'model-idle-seconds': { takes: 'N', says: 'unload a model after this idle time (default 600)' },
  'batch-max': { takes: 'N', says: 'sentences per run of a model (default 1)' },
  hub: { takes: 'URL', says: 'source of packs (default https://huggingface.co)' },
  'min-free-bytes': { takes: 'N', says: 'refuse new audio and clones below this free disk space (default 64 MiB)' },
  'limit-tts': { takes: 'N', says: 'speech calls per key and minute (default 60; 0: no limit)' },
  'limit-clone': { takes: 'N', says: 'the same for cloning (default 10)' },
  'limit-voices': { takes: 'N', says: 'the same for the voice list (default 120)' },
  'limit-account': { takes: 'N', says: 'the same for balance, usage, estimate and the like (default 120)' },
  'clones-max': { takes: 'N', says: 'cloned voices per account (default 1000)' },
  'trusted-proxy': { takes: 'CIDR,…', says: 'addresses and networks whose X-Forwarded-For is trusted' },
  'clone-url-allow': {
    takes: 'HOST:PORT',
    says: 'a non-public server that clones may use',
    isRepeatable: true,
  },
  'cors-origin': {
    takes: 'URL',
    says: 'an origin whose pages may use the API, such as https://app.example',
    isRepeatable: true,
  },
  'app-slug': { takes: 'NAME', says: 'name of the installation in the balance (default sonant)' },
  'app-name': { takes: 'TEXT', says: 'its display name (default Sonant)' },
  ephemeral: { says: 'keep all data in a temporary directory, for tests; excludes --data' },
  'api-key': { takes: 'KEY', says: "with --ephemeral: the ordinary account's key" },
  'admin-key': { takes: 'KEY', says: "with --ephemeral: the administrator's key" },
  balance: { takes: 'N', says: 'with --ephemeral: units of the account (default 100000)' },
  seed: { takes: 'FILE', says: 'with --ephemeral: JSON file of initial accounts, keys, plans and codes' },
  'log-level': { takes: 'trace|debug|info|warn|error|fatal|silent', says: 'level of the log on stderr (default info)' },
} as const satisfies Record<ServeFlag, Flag>

export const serve = {
  summary: 'start the service',
  details: `Prints one line of JSON on stdout when it is ready; the log goes to stderr. SIGTERM or Ctrl-C ends it.
Flags win over the environment (SONANT_PORT, …), which wins over sonant.toml in the data directory.`,
  flags,
  examples: ['sonant serve --data /srv/sonant --port 8080', 'sonant serve --ephemeral --balance 500'],
} as const satisfies Command
