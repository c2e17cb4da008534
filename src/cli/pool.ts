/** Worker processes for verbs that make sound without a server. */
import { availableParallelism } from 'node:os'
import { limits } from '../config'
import { createLogger } from '../log'
import { createPool } from '../speech/pool'
import { workerCommand } from './worker-command'

export function createCliPool() {
  return createPool({
    command: workerCommand(),
    workers: availableParallelism(),
    taskTimeoutMs: limits.taskTimeoutMs,
    workerMemoryMaxBytes: limits.workerMemoryMaxBytes,
    jobsMax: 1,
    log: createLogger('warn'),
  })
}
