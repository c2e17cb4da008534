/** Answers with CSV, written while it is read from the database. */
import { nextTurn } from '../db/turns'
import { headersOf } from './request-state'

/** Sends `pieces`, of which some may be empty. */
export function csvResponse(request: Request, pieces: Generator<string>): Response {
  return new Response(streamOf(pieces), {
    headers: {
      ...headersOf(request),
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="usage.csv"',
      'cache-control': 'private, no-store',
    },
  })
}

/**
 * Reads the next piece when the client has taken the one before, so memory does not grow with the length. Reads nothing
 * for HEAD, whose body nothing takes.
 */
function streamOf(pieces: Generator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let hasLeft = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let piece = ''; piece === '' && !hasLeft;) {
          await nextTurn()
          const { done, value } = pieces.next()
          if (done) return controller.close()
          if ((piece = value) !== '') controller.enqueue(encoder.encode(piece))
        }
      },
      cancel() {
        hasLeft = true
      },
    },
    { highWaterMark: 0 },
  )
}
