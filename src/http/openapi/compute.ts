/** The compute providers of neural voices: schemas of the API description. */
import { computeProviders } from '../../config'
import { boolean, integer, list, number, object, orNull, text } from '../../operations/schema'

const provider = text('What computes: the processor or a kind of GPU.', {
  enum: computeProviders.filter((name) => name !== 'auto'),
})
const fallback = boolean('Whether something else was wished for, which does not work.')

export const computeSchemas = {
  Readiness: object(
    {
      ok: { const: true },
      compute: orNull({
        ...object({ provider, fallback }),
        description: 'What neural voices are computed with; null before the first one was needed.',
      }),
      storage: { const: 'full', description: 'Only while the disk is full: nothing new is made.' },
    },
    { optional: ['storage'] },
  ),
  Compute: object({
    compute: orNull(
      object({
        provider,
        device: text('Its name.'),
        fallback,
        threads: integer('Of one run on the CPU.', { minimum: 1 }),
        trials: list(
          object({
            provider,
            failure: orNull(text('What went wrong; null: it works.')),
            duration_ms: integer('Of the trial.', { minimum: 0 }),
            run_ms: orNull(number('How long a billion operations took; null where it does not work.', { minimum: 0 })),
          }),
        ),
      }),
    ),
    models: list(
      object({
        name: text('Directory and file.'),
        processes: integer('That hold it.', { minimum: 1 }),
        memory_bytes: integer('Resident, of these processes.', { minimum: 0 }),
      }),
    ),
    admitted_seconds: number(
      'Estimated work of requests that were let in and are not done, in seconds of one worker.',
      {
        minimum: 0,
      },
    ),
  }),
}
