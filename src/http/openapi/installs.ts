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
    state: text('`installed`: also when the same pack was installed before.', {
      enum: ['waiting', 'downloading', 'installed', 'failed'],
    }),
    folder: orNull(text('Name in the list of packs; null until the hub has answered.')),
    received_bytes: integer('Received bytes of the whole pack, those of an earlier attempt included.', { minimum: 0 }),
    size_bytes: orNull(integer('Size of the whole pack; null until the hub has answered.', { minimum: 0 })),
    reason: orNull(text('The reason of a failure, as a sentence.')),
  }),
}
