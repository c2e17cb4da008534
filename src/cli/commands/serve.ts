/** `sonant serve`: its settings. Each is a flag, a variable of the environment, and a line of `sonant.toml`. */
import type { settingNames } from '../../config'
import type { Command, Flag } from './description'

type ServeFlag = Exclude<(typeof settingNames)[number], 'data'>

const flags = {
  host: { takes: 'HOST', says: 'where to listen (default 127.0.0.1); 0.0.0.0 for everywhere' },
  port: { takes: 'N', says: 'default 7788; 0: any free port' },
  'base-url': { takes: 'URL', says: 'how clients reach it, when a proxy is in front' },
  'storage-url': { takes: 'URL', says: 'how clients reach the audio, when a CDN is in front' },
  'tls-cert': { takes: 'FILE', says: 'certificate chain in PEM, to serve HTTPS; needs --tls-key' },
  'tls-key': { takes: 'FILE', says: 'private key of the certificate in PEM' },
  workers: { takes: 'N', says: 'sentences spoken at once (default: one per core)' },
  'mp3-sample-rate': { takes: 'HZ', says: "of every mp3 (default: the voice's own)" },
  provider: { takes: 'auto|cpu|webgpu|cuda|coreml|dml', says: 'what computes neural voices' },
  'ort-library': { takes: 'FILE', says: 'an onnxruntime of your own, for CUDA' },
  'gpu-devices': { takes: 'N,N,…', says: 'numbers of the GPUs that models are spread over' },
  'model-memory-bytes': { takes: 'N', says: "for all loaded models (default: half of the machine's memory)" },
  'model-idle-seconds': { takes: 'N', says: 'unload a model that nobody used for so long (default 600)' },
  'batch-max': { takes: 'N', says: 'sentences in one run of a model (default 1)' },
  hub: { takes: 'URL', says: 'where packs are pulled from (default https://huggingface.co)' },
  'min-free-bytes': { takes: 'N', says: 'below so much free disk nothing new is made (default 64 MiB)' },
  'limit-tts': { takes: 'N', says: 'speech calls of one key per minute (default 60; 0: any number)' },
  'limit-clone': { takes: 'N', says: 'the same for cloning (default 10)' },
  'limit-voices': { takes: 'N', says: 'the same for the voice list (default 120)' },
  'limit-account': { takes: 'N', says: 'the same for balance, usage, estimate and the like (default 120)' },
  'clones-max': { takes: 'N', says: 'cloned voices of one account (default 1000)' },
  'trusted-proxy': { takes: 'CIDR,…', says: 'addresses and networks whose X-Forwarded-For counts' },
  'clone-url-allow': {
    takes: 'HOST:PORT',
    says: 'a server to clone from though it is not public',
    isRepeatable: true,
  },
  'app-slug': { takes: 'NAME', says: 'names the installation in the balance (default sonant)' },
  'app-name': { takes: 'TEXT', says: 'the same for people (default Sonant)' },
  ephemeral: { says: 'in a temporary directory, for tests; does not go with --data' },
  'api-key': { takes: 'KEY', says: "with --ephemeral: the ordinary account's key" },
  'admin-key': { takes: 'KEY', says: "with --ephemeral: the administrator's key" },
  balance: { takes: 'N', says: 'with --ephemeral: what the account has (default 100000)' },
  seed: { takes: 'FILE', says: 'with --ephemeral: accounts, keys, plans, codes to begin with, in JSON' },
  'log-level': { takes: 'trace|debug|info|warn|error|fatal|silent', says: 'of the log on stderr (default info)' },
} as const satisfies Record<ServeFlag, Flag>

export const serve = {
  summary: 'start the service',
  details: `Prints one line of JSON on stdout when it is ready; the log goes to stderr. SIGTERM or Ctrl-C ends it.
Flags win over the environment (SONANT_PORT, …), which wins over sonant.toml in the data directory.`,
  flags,
  examples: ['sonant serve --data /srv/sonant --port 8080', 'sonant serve --ephemeral --balance 500'],
} as const satisfies Command
