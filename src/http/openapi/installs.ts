/** Installing packs by name: schemas of the API description. */
import { knownPacks } from '../../packs/hub/packs'
import { integer, object, orNull, text } from '../../operations/schema'

/** Latin letters, as in the names of Piper's voices. */
const letters = String.raw`A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f`
const name = text(`\`piper/KEY\` of a Piper voice, ${knownPacks.map((pack) => `\`${pack.name}\``).join(', ')}.`, {
  pattern: `^(piper/[0-9_${letters}][0-9._+${letters}-]{0,99}|${knownPacks.map((pack) => pack.name).join('|')})$`,
})

export const installSchemas = {
  NewInstall: object({ name }),
  Install: object({
    name,
    state: text('`installed` also where the same pack was there before.', {
      enum: ['waiting', 'downloading', 'installed', 'failed'],
    }),
    folder: orNull(text('Name of the pack, as in the list of packs; null until the hub has told what it is made of.')),
    received_bytes: integer('Of the whole pack, with what an earlier try left.', { minimum: 0 }),
    size_bytes: orNull(integer('Of the whole pack; null until the hub has told.', { minimum: 0 })),
    reason: orNull(text('Why it failed, in a sentence.')),
  }),
}
