/** Sends a recording to be cloned. A file that the service has is not sent again. */
import { api, ApiError, dataOf, type Schema } from '../../client/client'
import { upload } from '../../client/upload'
import { hashOf } from './recording'

export type Cloned = Schema<'Cloned'>

export type Source = { readonly file: Blob; readonly name: string } | { readonly url: string }

export type Stage =
  | { readonly kind: 'checking' }
  /** `ratio`: the part that has been sent, from 0 to 1. */
  | { readonly kind: 'sending'; readonly ratio: number }
  | { readonly kind: 'enrolling' }

type Options = { readonly onStage: (stage: Stage) => void; readonly signal: AbortSignal }
type Fields = { readonly name: string; readonly language?: string }

/** Throws {@link ApiError}, and the reason of the signal. */
export async function sendClone(source: Source, fields: Fields, { onStage, signal }: Options): Promise<Cloned> {
  const clone = (body: { url: string } | { hash: string }) => {
    onStage({ kind: 'enrolling' })
    return dataOf(api.POST('/api/v1/voices/clone', { body: { ...fields, ...body }, signal }))
  }
  if ('url' in source) return clone(source)
  onStage({ kind: 'checking' })
  const hash = await hashOf(source.file)
  const isKnown = hash !== undefined && (await precheck(hash)).exists
  signal.throwIfAborted()
  if (isKnown) {
    try {
      return await clone({ hash })
    } catch (error) {
      // The last clone of the file was deleted just now.
      if (!(error instanceof ApiError) || error.param !== 'hash') throw error
    }
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', source.file, source.name)
  onStage({ kind: 'sending', ratio: 0 })
  return upload<Cloned>('/api/v1/voices/clone', form, {
    signal,
    onProgress: (ratio) => onStage(ratio < 1 ? { kind: 'sending', ratio } : { kind: 'enrolling' }),
  })
}

export const precheck = (hash: string): Promise<Schema<'Precheck'>> =>
  dataOf(api.GET('/api/v1/voices/clone/precheck', { params: { query: { hash } } }))

/** A hash that no file has: it asks for the price of a clone of a new recording. */
export const unknownHash = '0'.repeat(64)
