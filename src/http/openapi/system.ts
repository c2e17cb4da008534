/** The state of the service: schemas of the API description. */
import { settingNames } from '../../config'
import { instant, integer, list, number, object, orNull, text } from '../../operations/schema'
import { computeSchemas } from './compute'

const count = (description: string) => integer(description, { minimum: 0 })
const storage = text('`low`: little space is left. `full`: requests that store something fail.', {
  enum: ['ok', 'low', 'full'],
})
const queue = {
  waiting: count('Requests that wait for a worker.'),
  running: count('Requests that a worker has begun.'),
}
const workers = {
  total: integer('Tasks that may run at once.', { minimum: 1 }),
  busy: count('Tasks that run.'),
}

export const systemSchemas = {
  Status: object({
    queue: object(queue),
    workers: object(workers),
    compute: computeSchemas.Readiness.properties!.compute!,
    storage,
  }),
  System: object({
    versions: object({
      sonant: text('Version of the executable.'),
      commit: text('Commit of the build.'),
      bun: text('Version of the runtime.'),
      onnxruntime: orNull(text('Version of the library for neural voices; null for one of the operator.')),
    }),
    started_at: instant('Start of the server.'),
    uptime_seconds: count('Time since then.'),
    machine: object({
      platform: text('Operating system and architecture.'),
      cpu: text('Name of the processor.'),
      cores: integer('Processor cores.', { minimum: 1 }),
      memory_bytes: count('Memory of the machine.'),
    }),
    memory_bytes: count('Resident memory of the main process.'),
    workers: object({
      ...workers,
      processes: list(
        object({
          pid: integer('Process id.', { minimum: 1 }),
          state: text('What it does.', { enum: ['idle', 'busy', 'loading'] }),
          holds: orNull(text('The engine or the paths of its models; null before its first voice.')),
          memory_bytes: count('Resident memory on Linux; 0 elsewhere.'),
        }),
      ),
    }),
    queue: object({
      ...queue,
      admitted_seconds: number('Estimated remaining work, in seconds of one worker.', { minimum: 0 }),
    }),
    speeds: list(
      object({
        engine: text('The engine.'),
        model: orNull(text('Directory of the pack; null for built-in voices.')),
        real_time_factor: number('Seconds of a worker for a second of sound, lately.', { minimum: 0 }),
      }),
    ),
    disk: object({
      state: storage,
      free_bytes: orNull(count('Free space; null: unknown.')),
      size_bytes: orNull(count('Size of the disk; null: unknown.')),
      min_free_bytes: count('With less free space nothing is stored.'),
      database_bytes: count('Size of the database.'),
      recordings: count('Kept recordings of clones.'),
      recordings_bytes: count('Their size.'),
    }),
    settings: list(
      object({
        name: text('Name of the flag.', { enum: [...settingNames] }),
        value: {
          description: 'Its value; lists are joined with commas. Secrets are hidden. null: not set.',
          anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }],
        },
        source: text('Where it comes from.', { enum: ['flag', 'environment', 'sonant.toml', 'default'] }),
      }),
    ),
  }),
}
