/**
 * `slow-server.ts DIRECTORY KEY…`: the real server with two workers whose engine sleeps a second for each utterance
 * with the prefix "slowest". It can be overloaded on an idle machine. Each key has an account of its own. Prints its
 * address.
 */
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../../src/app'
import { readConfig } from '../../src/config'
import { createLogger } from '../../src/log'

const [directory, ...keys] = process.argv.slice(2)
const seed = join(directory!, 'seed.json')
const accounts = keys.map((key) => ({ name: key, balance: 100_000, keys: [{ api_key: key }] }))
await Bun.write(seed, JSON.stringify({ accounts }))
const config = readConfig(
  { ephemeral: true, seed, workers: 2, 'limit-tts': 0, 'tts-seconds-max': 60 },
  {},
  {},
  { cores: availableParallelism(), memoryBytes: totalmem() },
)
const worker = [process.execPath, join(import.meta.dir, '../workers/strange-worker.ts'), 'worker']
const commands = { worker, downloader: [] }
const app = await buildApp({ ...config, dataDirectory: join(directory!, 'data') }, commands, createLogger('silent'))
console.log(app.baseUrl)
