/** The administrative operation that moves one voice among the featured ones. */
import { AppError } from '../errors'
import { refuse, type Fields } from '../fields'
import type { PackRegistry } from '../packs/registry'
import { readFields } from '../operations/read-fields'
import { voiceMove } from '../operations/voices'
import { listFeatured, readAllSettings, writeSettings } from '../voice/plans'
import { found, runOperation, type VoiceAdministration } from './administration'
import { describePack, describeSettings } from './voices'

/**
 * Puts the voice before another featured one, or behind all of them, and features it. The positions of all featured voices
 * are numbered anew from 1, so that moves by several administrators at the same time add up. Throws `not_found`, and
 * `conflict` when the other voice is not featured.
 */
export function moveVoice(
  administration: VoiceAdministration,
  id: string,
  fields: Fields,
  { packs }: Pick<PackRegistry, 'packs'>,
) {
  const { db, catalogue } = administration
  const { before } = readFields(fields, voiceMove)
  return runOperation(administration, 'voices move', () => {
    const voice = found(catalogue.find(id), 'voice', id)
    if (before === id) throw refuse('before', before, 'another voice or null is allowed')
    const settingsOf = readAllSettings(db)
    const others = listFeatured(db, catalogue.ids).filter((other) => other !== id)
    const place = before === null ? others.length : others.indexOf(before)
    if (place < 0)
      throw new AppError('conflict', `before: the voice ${JSON.stringify(before)} is not featured.`, {
        param: 'before',
      })
    const order = others.toSpliced(place, 0, id)
    for (const [index, other] of order.entries()) {
      const settings = settingsOf(other)
      const position = index + 1
      if (!settings.featured || settings.position !== position)
        writeSettings(db, other, { ...settings, featured: true, position })
    }
    const after = describeSettings(voice, readAllSettings(db)(id))
    const result = { ...after, ...describePack(voice, packs) }
    return { subject: id, before: describeSettings(voice, settingsOf(id)), after, result }
  })
}
