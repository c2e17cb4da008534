/** The installed packs, for administrators: schemas of the API description. */
import { boolean, integer, list, object, orNull, reference, text, type Schema } from '../../operations/schema'

const ofReady = (schema: Schema) => orNull({ ...schema, description: `${schema.description} null: not ready.` })

const pack = {
  name: text('Name of its folder.'),
  state: text('`checking`: it is being copied or tested. `refused`: it cannot be used.', {
    enum: ['ready', 'checking', 'refused'],
  }),
  reason: orNull(text('The reason of a refusal.')),
  family: ofReady(text('Family of the model.', { enum: ['piper', 'kokoro', 'kitten', 'vits', 'hibari', 'converter'] })),
  english_reading: orNull(
    text('Who reads English for its voices. null: not ready, no English voices, or a family with one reading only.', {
      enum: ['misaki', 'espeak'],
    }),
  ),
  voices: list(text('Id of a catalogue voice.')),
  sample_rate: ofReady(integer('Sample rate of its sound, in Hz.')),
  deterministic: ofReady(boolean('Whether the same request gives the same bytes.')),
  times_words: ofReady(boolean('Whether it returns word times.')),
  size_bytes: ofReady(integer('Size of its files.', { minimum: 0 })),
  license: orNull(text('Licence, from the model card or the licence text.')),
  convolutions: orNull(
    text(
      'Form of the convolutions on the CPU, the fastest when the pack was tested: `as_exported`, `products` (integer ' +
        'products of matrices) or `two_dimensional`. null: not ready, or no choice.',
      { enum: ['as_exported', 'products', 'two_dimensional'] },
    ),
  ),
  expected_memory_bytes: ofReady(integer('Expected memory of a process with the model.', { minimum: 0 })),
  real_time_factor: orNull({
    ...{ type: 'number', minimum: 0 },
    description:
      'Seconds that a worker computes for a second of sound, measured when the pack was tested and again by requests. null: not ready, or not measured on this machine.',
  }),
  slow: orNull(
    boolean('Whether some allowed texts cannot be done in time on this machine; they get 504 at once. null: unknown.'),
  ),
  advice: orNull(text('What helps a slow pack, and the length of the texts that are done in time. null: not slow.')),
  loaded: orNull({
    ...object({
      processes: integer('Number of processes with the model.', { minimum: 1 }),
      memory_bytes: integer('Resident memory of these processes.', { minimum: 0 }),
    }),
    description: 'null: no process has loaded the model.',
  }),
}
const countOf = (state: string) => integer(`Packs that are ${state}.`, { minimum: 0 })

export const packSchemas = {
  PackForm: object({ file: text('A file; one part for each file.', { format: 'binary' }) }),
  Pack: object(pack),
  PackList: object({
    items: list(reference('Pack')),
    next_cursor: { type: 'null', description: 'null: the list is complete.' },
    counts: object({ ready: countOf('ready'), checking: countOf('being checked'), refused: countOf('refused') }),
    installs: {
      ...list(reference('Install')),
      description: 'Running, waiting and recently ended installations, in order of request.',
    },
  }),
} satisfies Record<string, Schema>
