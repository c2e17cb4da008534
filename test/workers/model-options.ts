/** Model options for schedulers in tests: the CPU, one thread, and ample memory. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelOptions } from '../../src/workers/pool/models'

const runtimeDirectory = join(tmpdir(), 'sonant-test-runtime')

export const modelOptions: ModelOptions = {
  runtimeDirectory,
  runtime: async () => ({ directory: runtimeDirectory, provider: 'cpu', threads: 1 }),
  deviceIds: [],
  memoryMaxBytes: 4e9,
  idleMs: 600_000,
  loadTimeoutMs: 60_000,
  batchMax: 1,
}
