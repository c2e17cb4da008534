/** The compute providers of neural voices: schemas of the API description. */
import { computeProviders } from '../../config'
import { boolean, integer, list, number, object, orNull, text } from '../../operations/schema'

const provider = text('The compute provider: the CPU or a kind of GPU.', {
  enum: computeProviders.filter((name) => name !== 'auto'),
})
const fallback = boolean('Whether another provider was configured that does not work.')

export const computeSchemas = {
  Readiness: object(
    {
      ok: { const: true },
      compute: orNull({
        ...object({ provider, fallback }),
        description: 'The provider of neural voices; null until the first one is needed.',
      }),
      default_voice: {
        ...object({
          id: orNull(text('null: no voice is active and public.')),
          available: boolean('Whether this build of the server contains it. If not, requests without `voice_id` fail.'),
          reason: text('Why it is this voice.'),
        }),
        description: 'The voice of requests without `voice_id` by accounts without a plan.',
      },
      storage: { const: 'full', description: 'Present while the disk is full: requests that store something fail.' },
    },
    { optional: ['storage'] },
  ),
  Compute: object({
    compute: orNull(
      object({
        provider,
        device: text('Name of the device.'),
        fallback,
        threads: integer('Threads of one run on the CPU.', { minimum: 1 }),
        trials: list(
          object({
            provider,
            failure: orNull(text('The reason of a failure; null: the provider works.')),
            duration_ms: integer('Duration of the trial.', { minimum: 0 }),
            run_ms: orNull(number('Time of a billion operations; null: the provider does not work.', { minimum: 0 })),
          }),
        ),
      }),
    ),
    models: list(
      object({
        name: text('Directory and file of the model.'),
        processes: integer('Number of processes with the model.', { minimum: 1 }),
        memory_bytes: integer('Resident memory of these processes.', { minimum: 0 }),
      }),
    ),
    admitted_seconds: number('Estimated remaining work of admitted requests, in seconds of one worker.', {
      minimum: 0,
    }),
  }),
}
