/** Packs that administrators have the running server pull from its hub. */
import { readText, type Fields } from '../fields'
import type { Install, Installer } from '../speech/models/hub/installer'
import { checkPackName } from '../speech/models/hub/packs'
import { act, type Administration } from './administration'

const nameRules = { charactersMax: 120 }

/** Begins in the background, or queues. Throws `invalid_params`, `rate_limited`. */
export function installPack(administration: Administration, installer: Installer, fields: Fields) {
  const name = checkPackName(readText(fields, 'name', nameRules))
  return act(administration, 'voices pull', () => {
    const result = describeInstall(installer.start(name))
    return { subject: name, before: null, after: { state: result.state }, result }
  })
}

export function describeInstall({ name, state, folder, receivedBytes, sizeBytes, reason }: Install) {
  return { name, state, folder, received_bytes: receivedBytes, size_bytes: sizeBytes, reason }
}
