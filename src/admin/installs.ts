/** Administrative operations with which the running server finds packs on its hub and pulls them. */
import { retryWhileBusy } from '../db/statements'
import { shorten, type Deadline } from '../deadline'
import { AppError } from '../errors'
import { optionalText, readText, type Fields } from '../fields'
import type { HubDesk } from '../packs/hub/desk'
import type { Install, Installer } from '../packs/hub/installer'
import type { FoundPack } from '../packs/hub/search'
import { found, runOperation, type Administration } from './administration'

const nameRules = { charactersMax: 120 }
const searchRules = { charactersMax: 200 }
/** Leaves time for the answer. */
const hubTimeoutMs = 25_000

/** Starts an installation in the background, or queues it. Throws `invalid_params`, `rate_limited`. */
export async function installPack(administration: Administration, installer: Installer, fields: Fields) {
  const { checkPackName } = await import('../packs/hub/packs')
  const name = checkPackName(readText(fields, 'name', nameRules))
  const begin = () => {
    const result = describeInstall(installer.start(name))
    return { subject: name, before: null, after: { state: result.state }, result }
  }
  return retryWhileBusy(() => runOperation(administration, 'voices pull', begin))
}

/** Running, waiting and recently ended installations, in order of request. */
export function listInstalls(installer: Installer) {
  return { items: installer.status().map(describeInstall), next_cursor: null }
}

/** Cancels an installation; one that has ended stays as it is. Throws `not_found`. */
export async function cancelInstall(administration: Administration, installer: Installer, id: string) {
  const before = found(
    installer.status().find((install) => install.id === id),
    'installation',
    id,
  )
  const install = (await installer.cancel(id)) ?? before
  const result = describeInstall(install)
  if (install.state !== 'cancelled' || before.state === 'cancelled') return result
  const change = { subject: install.name, before: { state: before.state }, after: { state: install.state } }
  await retryWhileBusy(() => runOperation(administration, 'voices pull cancel', () => ({ ...change, result })))
  return result
}

export function describeInstall({ name, id, state, folder, license, receivedBytes, sizeBytes, reason }: Install) {
  return { id, name, state, folder, license, received_bytes: receivedBytes, size_bytes: sizeBytes, reason }
}

/** Searches the hub for the words in the field `q`; lists everything without words. Throws `url_fetch_failed`. */
export async function searchHub(hub: HubDesk, fields: Fields, deadline: Deadline) {
  const { q = '' } = fields
  const isBlank = typeof q === 'string' && q.length <= searchRules.charactersMax && q.trim() === ''
  const words = isBlank ? [] : (optionalText({ q }, 'q', searchRules) ?? '').split(/\s+/)
  const items = await hub.search(words, shorten(deadline, hubTimeoutMs))
  return { items: items.map(describeFound), next_cursor: null }
}

/** Throws `not_found` for a name that no pack has, `url_fetch_failed`. */
export async function showHubPack(hub: HubDesk, fields: Fields, deadline: Deadline) {
  const name = readText(fields, 'name', nameRules)
  const plan = await hub.describe(name, shorten(deadline, hubTimeoutMs)).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'invalid_params'
      ? new AppError('not_found', error.message)
      : error
  })
  const { family, folder, repository, license, card, sizeBytes } = plan
  const source = { repository: repository.id, commit: repository.commit }
  return { name: plan.name, family, folder, ...source, license, card, size_bytes: sizeBytes }
}

export function describeFound({ sizeBytes, ...pack }: FoundPack) {
  const { name, family, languages, description, quality, speakers, installed } = pack
  return { name, family, languages, description, quality, speakers, size_bytes: sizeBytes, installed }
}
