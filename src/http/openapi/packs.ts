/** The installed packs, for administrators: schemas of the API description. */
import { boolean, integer, list, object, orNull, reference, text, type Schema } from '../../operations/schema'

const ofReady = (schema: Schema) => orNull({ ...schema, description: `${schema.description} null: not ready.` })

const pack = {
  name: text('Of its folder.'),
  state: text('`checking`: it is being copied or tried. `refused`: it cannot be used.', {
    enum: ['ready', 'checking', 'refused'],
  }),
  reason: orNull(text('Why it was refused.')),
  family: ofReady(
    text('What kind of model it is.', { enum: ['piper', 'kokoro', 'kitten', 'vits', 'converter', null] }),
  ),
  voices: list(text('Id of a catalogue voice.')),
  sample_rate: ofReady(integer('Of its sound, in Hz.')),
  deterministic: ofReady(boolean('Whether the same request gives the same bytes.')),
  times_words: ofReady(boolean('Whether it tells where its words are.')),
  size_bytes: ofReady(integer('Of its files.', { minimum: 0 })),
  license: orNull(text('What its model card says.')),
  expected_memory_bytes: ofReady(integer('What a process needs that has it loaded.', { minimum: 0 })),
  loaded: orNull({
    ...object({
      processes: integer('How many have it loaded.', { minimum: 1 }),
      memory_bytes: integer('Of these processes.', { minimum: 0 }),
    }),
    description: 'null: no process has it loaded now.',
  }),
}
const countOf = (state: string) => integer(`Packs that are ${state}.`, { minimum: 0 })

export const packSchemas = {
  Pack: object(pack),
  PackList: object({
    items: list(reference('Pack')),
    next_cursor: { type: 'null', description: 'The list is whole.' },
    counts: object({ ready: countOf('ready'), checking: countOf('being checked'), refused: countOf('refused') }),
    installs: {
      ...list(reference('Install')),
      description: 'What is pulled from the hub, waits, or ended last, in the order in which it was asked for.',
    },
  }),
} satisfies Record<string, Schema>
