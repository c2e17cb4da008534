/** Installing packs by name: schemas of the API description. */
import { knownPacks } from '../../packs/hub/packs'
import { boolean, integer, list, object, orNull, reference, text } from '../../operations/schema'

/** Latin letters, as in the names of Piper's voices. */
const letters = String.raw`A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f`
const name = text(`\`piper/KEY\` of a Piper voice, ${knownPacks.map((pack) => `\`${pack.name}\``).join(', ')}.`, {
  pattern: `^(piper/[0-9_${letters}][0-9._+${letters}-]{0,99}|${knownPacks.map((pack) => pack.name).join('|')})$`,
})

const count = (description: string) => integer(description, { minimum: 0 })
const family = text('Family of the model.', {
  enum: ['piper', 'kokoro', 'kitten', 'vits', 'hibari', 'converter'],
})

export const installSchemas = {
  NewInstall: object({ name }),
  Install: object({
    id: text('Id of the installation; the folder that the pack gets.'),
    name,
    state: text('`installed`: also when the same pack was installed before.', {
      enum: ['waiting', 'downloading', 'installed', 'failed', 'cancelled'],
    }),
    folder: orNull(text('Name in the list of packs; null until the hub has answered.')),
    license: orNull(text('Licence; null until the hub has answered, and without one.')),
    received_bytes: count('Received bytes of the whole pack, those of an earlier attempt included.'),
    size_bytes: orNull(count('Size of the whole pack; null until the hub has answered.')),
    reason: orNull(text('The reason of a failure, as a sentence.')),
  }),
  InstallList: object({
    items: list(reference('Install')),
    next_cursor: { type: 'null', description: 'null: the list is complete.' },
  }),
  HubPackList: object({
    items: list(
      object({
        name: text('For the installation.'),
        family,
        languages: list(text('BCP 47.')),
        description: text('In English.'),
        quality: orNull(text('Quality of a Piper voice.')),
        speakers: orNull(count('Number of voices; null: unknown before the installation.')),
        size_bytes: orNull(count('Size of its files; null: unknown.')),
        installed: boolean('Whether its folder is there.'),
      }),
    ),
    next_cursor: { type: 'null', description: 'null: the list is complete.' },
  }),
  HubPack: object({
    name: text('For the installation.'),
    family,
    folder: text('The folder that it gets.'),
    repository: text('Repository on the hub.'),
    commit: text('Its commit.'),
    license: orNull(text('From the model card, else from the repository.')),
    card: orNull(text('The model card; null without one.')),
    size_bytes: count('Size of its files.'),
  }),
}
