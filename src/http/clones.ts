/** Cloned voices: create, delete, and the precheck (4.3 to 4.5 of the interface). */
import { clone, removeClone } from '../clone/clone'
import { createHearing } from '../clone/hearing'
import { cloneUnits, type CloneRequest, type CloneSource } from '../clone/cloning'
import { limits } from '../config'
import { shorten } from '../deadline'
import { AppError } from '../errors'
import { isGiven, refuse, type Fields } from '../fields'
import { instant } from '../paging'
import { countClones, findCloneOf, hasReference, type Clone } from '../voice/clones'
import type { ReceivedReference } from '../storage/references'
import { readJsonObject } from './body'
import type { HttpContext } from './context'
import { faultsOf } from './faults'
import { sendFile } from './file'
import { isForm, readForm } from './form'
import { stateOf } from './request-state'
import type { Handlers } from './routes'
import { surfaceOf } from './session-access'

const nameCharactersMax = 64
const hashPattern = /^[0-9a-f]{64}$/i

export function cloneHandlers({ db, cloning, addresses, faultsOnDemand }: HttpContext) {
  const describe = (request: Request, voice: Clone) => describeClone(voice, addresses(request).storageUrl)
  const { catalogue, references, storage } = cloning
  const hear = createHearing({ db, references })

  async function readClone(request: Request): Promise<{ fields: Fields; file: ReceivedReference | undefined }> {
    if (!isForm(request)) return { fields: await readJsonObject(request), file: undefined }
    const deadline = shorten(stateOf(request).deadline, limits.uploadTimeoutMs)
    const receive = async () => {
      await storage.ensureSpace()
      return references.receive()
    }
    const rules = { deadline, sizeBytesMax: limits.referenceBytesMax, filesMax: 1, receive }
    const { fields, files } = await readForm(request, rules)
    return { fields, file: files[0] }
  }

  return {
    async cloneVoice({ request, caller, deadline }) {
      const { fields, file } = await readClone(request)
      try {
        const state = stateOf(request)
        const { id: requestId } = state
        const { signal } = request
        const wanted: Pick<CloneRequest, 'name' | 'language' | 'source'> = {
          source: readSource(fields, file),
          name: readName(fields.name),
          language: readLanguage(fields, catalogue.builtIn),
        }
        const faults = faultsOf(request, faultsOnDemand)
        const from = { caller, surface: surfaceOf(caller), requestId, faults, deadline, signal } as const
        const made = await clone(cloning, { ...wanted, ...from })
        const { duplicate, units, remaining } = made
        state.voiceId = made.clone.id
        state.units = units
        return { ok: true, duplicate, voice: describe(request, made.clone), units, remaining }
      } finally {
        await file?.discard()
      }
    },

    async getRecording({ request, caller, id }) {
      const { name, file } = await hear(caller.accountId, id)
      return sendFile(request, name, file, 'private, no-store')
    },

    async deleteClone({ caller, fields: { voice_id: voiceId } }) {
      if (typeof voiceId !== 'string' || voiceId === '')
        throw refuse('voice_id', voiceId, 'the id of a cloned voice is required')
      await removeClone(cloning, caller.accountId, voiceId)
      return { ok: true, deleted: voiceId }
    },

    precheckClone({ request, caller: { accountId }, fields }) {
      const hash = readHash(fields.hash)
      const own = findCloneOf(db, accountId, hash)
      return {
        exists: hasReference(db, hash),
        own_voice: own ? describe(request, own) : null,
        fee_units: own ? 0 : cloneUnits,
        voice_count: countClones(db, accountId),
      }
    },
  } satisfies Partial<Handlers>
}

export function describeClone(clone: Clone, storageUrl: string) {
  return {
    id: clone.id,
    display_name: clone.name,
    demo_url: `${storageUrl}/${clone.demoName}`,
    duration_sec: clone.recordingMs / 1000,
    created_at: instant(clone.createdAtMs),
    language: clone.language,
    gender: clone.gender,
    method: clone.method,
    warnings: clone.warnings,
  }
}

function readSource(fields: Fields, file: ReceivedReference | undefined): CloneSource {
  const given = [file && 'file', ...['url', 'hash'].filter((name) => isGiven(fields[name]))].filter(Boolean)
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none of them' : given.join(' and ')
    const param = given[1] ?? 'file'
    throw new AppError('invalid_params', `${param}: found ${found}; exactly one of file, url and hash is required.`, {
      param,
    })
  }
  if (file) return { file }
  if (isGiven(fields.hash)) return { hash: readHash(fields.hash) }
  if (typeof fields.url === 'string') return { url: fields.url }
  throw refuse('url', fields.url, 'an address is required')
}

function readHash(hash: unknown): string {
  if (typeof hash === 'string' && hashPattern.test(hash)) return hash.toLowerCase()
  throw refuse('hash', hash, 'the SHA-256 of a file as 64 hexadecimal characters is required')
}

function readName(name: unknown): string {
  const rules = `1 to ${nameCharactersMax} characters without \\ / : * ? " < > | and control characters are required`
  if (typeof name !== 'string' || !name.isWellFormed()) throw refuse('name', name, rules)
  const trimmed = name.trim()
  const characters = [...trimmed].length
  if (characters < 1 || characters > nameCharactersMax || /[\\/:*?"<>|\p{Cc}]/u.test(trimmed))
    throw refuse('name', name, rules)
  return trimmed
}

/** A language of a built-in voice, with or without its region. */
function readLanguage(fields: Fields, voices: readonly { language: string }[]): string | undefined {
  const { language } = fields
  if (!isGiven(language)) return undefined
  const canonical =
    typeof language === 'string' && language.length <= 35 ? canonicalLanguage(language.trim()) : undefined
  const primary = canonical?.split('-')[0]
  if (voices.some((voice) => voice.language.split('-')[0] === primary)) return canonical
  throw refuse('language', language, 'a language of the voices is required, for example "en" or "zh-CN" (BCP 47)')
}

/** The tag in canonical case, `zh-CN` for `ZH-cn`; undefined for an invalid tag (BCP 47). */
function canonicalLanguage(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}
