/** Chooses the voice of `sonant say`: in a data directory from the public list of the API. */
import { existsSync } from 'node:fs'
import { databasePath, readDataDirectory, type RawSettings } from '../config'
import type { SpeechWorkers } from '../workers/speech-workers'
import type { Catalogue, CatalogueVoice } from '../voice/catalogue'
import { UsageError } from './flags'
import { openPackRegistry } from './pack-registry'
import { suggestVoice } from './suggest-voice'

/** Probes new packs unless a known voice is named. Throws `UsageError`. */
export async function chooseVoice(
  flags: RawSettings & { readonly voice?: string },
  catalogue: Catalogue,
  speech: Pick<SpeechWorkers, 'probe' | 'pacing'>,
): Promise<CatalogueVoice> {
  const { voice: id } = flags
  const hasDatabase = existsSync(databasePath({ dataDirectory: readDataDirectory(flags, process.env) }))
  if (id === undefined && !hasDatabase) return catalogue.voices[0]!
  const registry = await openPackRegistry(flags, catalogue, speech)
  if (id !== undefined && !catalogue.find(id)) await registry.probeAll()
  await registry.close()
  if (id !== undefined && !catalogue.find(id)) throw unknownVoice(id, catalogue)
  return hasDatabase ? chooseListed(flags, catalogue, id) : catalogue.find(id!)!
}

/** Chooses from the list of anonymous callers. A voice that only plans include may still be named. */
async function chooseListed(flags: RawSettings, catalogue: Catalogue, id: string | undefined): Promise<CatalogueVoice> {
  const [{ withDatabase }, { createPlans }] = await Promise.all([import('./data'), import('../voice/plans')])
  return withDatabase(flags, (db) => {
    const plans = createPlans(db, catalogue)
    const listed = id === undefined ? plans.listFor(null) : plans.listAll()
    const defaultId = plans.defaultIdFor(null)
    const found = listed.find(({ voice }) => voice.id === (id ?? defaultId))
    if (found) return found.voice
    if (id !== undefined)
      throw new UsageError(`--voice: "${id}" is deactivated in this data directory; sonant voices activate ${id}`)
    throw new UsageError(
      defaultId === undefined
        ? 'no voice is active and public in this data directory; name one with --voice'
        : `"${defaultId}", the default voice of this data directory, is not in this build; name another one with --voice`,
    )
  })
}

function unknownVoice(id: string, catalogue: Catalogue): UsageError {
  const hint = suggestVoice(id, catalogue) || '; sonant voices lists all voices'
  return new UsageError(`--voice: there is no voice "${id}"${hint}`)
}
