/** The stored audio: public, immutable, for pages of every origin. */
import { audioGone, wasMade } from '../billing/erased-audio'
import { AppError } from '../errors'
import type { HttpContext } from './context'
import { preflight } from './cross-origin'
import { sendFile } from './file'
import { addHeaders, headersOf } from './request-state'
import type { Call, Handlers } from './routes'

type FileCall = Pick<Call, 'request' | 'id' | 'deadline'>

export function audioHandlers({ db, demos }: HttpContext) {
  async function serve({ request, id: name, deadline }: FileCall): Promise<Response> {
    const file = await demos.find(name, deadline)
    if (!file) throw wasMade(db, name) ? audioGone() : new AppError('not_found', 'There is no such audio file.')
    return sendFile(request, name, file, 'public, max-age=31536000, immutable')
  }

  function answerPreflight({ request }: FileCall): Response {
    addHeaders(request, preflight)
    return new Response(null, { status: 204, headers: headersOf(request) })
  }

  return {
    getAudio: serve,
    headAudio: serve,
    optionsAudio: answerPreflight,
    getDemo: serve,
    headDemo: serve,
    optionsDemo: answerPreflight,
  } satisfies Partial<Handlers>
}
