/** Cloned voices: making, deleting, and asking beforehand (4.3 to 4.5 of the interface). */
import { Elysia } from 'elysia'
import { clone, cloneUnits, removeClone, type CloneRequest, type CloneSource } from '../clone'
import { AppError } from '../errors'
import { optionalText, refuse, type Fields } from '../fields'
import { instant } from '../paging'
import { countClones, findCloneOf, hasReference, type Clone } from '../voice/clones'
import type { ReceivedReference } from '../storage/references'
import { queryOf, readJsonObject } from './body'
import type { HttpContext } from './context'
import { faultsOf } from './faults'
import { isForm, readForm, type Form } from './form'
import { stateOf } from './request-state'

const nameCharactersMax = 64
const hashPattern = /^[0-9a-f]{64}$/i

export function cloneRoutes({ db, access, cloning, addresses, faultsOnDemand }: HttpContext) {
  const describe = (voice: Clone) => describeClone(voice, addresses().storageUrl)
  const { catalogue, references } = cloning

  async function readClone(request: Request): Promise<Form> {
    if (isForm(request)) return readForm(request, references.receive)
    return { fields: await readJsonObject(request), file: undefined }
  }

  return new Elysia()
    .post(
      '/api/v1/voices/clone',
      async ({ request }) => {
        const caller = access.caller(request, 'clone')
        const { fields, file } = await readClone(request)
        try {
          const { id: requestId } = stateOf(request)
          const wanted: Pick<CloneRequest, 'name' | 'language' | 'source'> = {
            source: readSource(fields, file),
            name: readName(fields.name),
            language: readLanguage(fields, catalogue.voices),
          }
          const faults = faultsOf(request, faultsOnDemand)
          const made = await clone(cloning, { ...wanted, caller, requestId, faults, signal: request.signal })
          const { duplicate, units, remaining } = made
          return { ok: true, duplicate, voice: describe(made.clone), units, remaining }
        } finally {
          await file?.discard()
        }
      },
      { parse: 'none' },
    )
    .delete('/api/v1/voices/clone', async ({ request }) => {
      const { accountId } = access.caller(request, 'cloneDeletion')
      const voiceId = optionalText(queryOf(request), 'voice_id', { charactersMax: 64 })
      if (voiceId === undefined) throw refuse('voice_id', undefined, 'the id of a cloned voice is required')
      await removeClone(cloning, accountId, voiceId)
      return { ok: true, deleted: voiceId }
    })
    .get('/api/v1/voices/clone/precheck', ({ request }) => {
      const { accountId } = access.caller(request, 'precheck')
      const hash = readHash(queryOf(request).hash)
      const own = findCloneOf(db, accountId, hash)
      return {
        exists: hasReference(db, hash),
        own_voice: own ? describe(own) : null,
        fee_units: own ? 0 : cloneUnits,
        voice_count: countClones(db, accountId),
      }
    })
}

export function describeClone(clone: Clone, storageUrl: string) {
  return {
    id: clone.id,
    display_name: clone.name,
    demo_url: `${storageUrl}/${clone.demoName}`,
    duration_sec: clone.durationMs / 1000,
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
    throw new AppError('invalid_params', `file: exactly one of file, url and hash is required; found ${found}.`, {
      param: given.length === 0 ? 'file' : given[1]!,
    })
  }
  if (file) return { file }
  if (isGiven(fields.hash)) return { hash: readHash(fields.hash) }
  if (typeof fields.url === 'string') return { url: fields.url }
  throw refuse('url', fields.url, 'an address is required')
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
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

/** One that a catalogue voice speaks, with or without its region. */
function readLanguage(fields: Fields, voices: readonly { language: string }[]): string | undefined {
  const text = optionalText(fields, 'language', { charactersMax: 35 })
  if (text === undefined) return undefined
  const primary = text.split('-')[0]!.toLowerCase()
  if (voices.some(({ language }) => language.split('-')[0] === primary)) return text
  throw refuse('language', text, 'a language of the voices is required, for example "en" or "zh-CN" (BCP 47)')
}
