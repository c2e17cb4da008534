/** Sends a form with files, and says how much of it has been sent, which `fetch` does not. */
import { baseUrl } from '../installation'
import { dataOf, unreachable } from './client'

type Options = {
  /** Runs with the part that has been sent, from 0 to 1. */
  readonly onProgress: (ratio: number) => void
  /** Breaks the upload off. */
  readonly signal: AbortSignal
}

/** Posts the form to `path`. Throws {@link ApiError}, and the reason of the signal. */
export function upload<Data>(path: string, form: FormData, { onProgress, signal }: Options): Promise<Data> {
  const request = new XMLHttpRequest()
  const sent = new Promise<Response>((resolve, reject) => {
    request.onload = () => resolve(responseOf(request))
    request.onerror = () => reject(unreachable('The upload broke off.'))
    request.onabort = () => reject(signal.reason)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    signal.throwIfAborted()
    request.open('POST', `${baseUrl}${path}`)
    request.responseType = 'json'
    request.send(form)
  })
  return sent.then((response) => {
    const body = request.response as Data
    return dataOf<Data>(Promise.resolve(response.ok ? { data: body, response } : { error: body, response }))
  })
}

/** The parts of a response that the client reads. */
function responseOf(request: XMLHttpRequest): Response {
  const { status, responseURL: url } = request
  const headers = { get: (name: string) => request.getResponseHeader(name) }
  return { ok: status >= 200 && status < 300, status, url, headers } as Response
}
