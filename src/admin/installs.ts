/** Administrative operations that make the running server pull packs from its hub. */
import { retryWhileBusy } from '../db/statements'
import { readText, type Fields } from '../fields'
import type { Install, Installer } from '../packs/hub/installer'
import { runOperation, type Administration } from './administration'

const nameRules = { charactersMax: 120 }

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

export function describeInstall({ name, state, folder, receivedBytes, sizeBytes, reason }: Install) {
  return { name, state, folder, received_bytes: receivedBytes, size_bytes: sizeBytes, reason }
}
