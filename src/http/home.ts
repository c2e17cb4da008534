/** `/`: a page for browsers; other clients get 404. The page is loaded on its first request. */
import { AppError } from '../errors'
import { version } from '../version'
import { demoName } from '../voice/catalogue'
import type { HttpContext } from './context'
import { headersOf } from './request-state'
import type { Handlers } from './routes'

export function homeHandlers({ addresses, installation, speaking }: HttpContext) {
  function findVoice() {
    const { plans } = speaking
    const first = plans.listFor(null)[0]
    if (!first || first.voice.id !== plans.defaultIdFor(null)) return undefined
    const { voice, displayName: name } = first
    return { name, language: voice.language, demo: demoName(voice, speaking.mp3SampleRate) }
  }

  return {
    async getHome({ request }) {
      if (!request.headers.get('accept')?.includes('text/html'))
        throw new AppError('unknown_path', 'There is nothing at this path; /openapi.json describes the interface.')
      const { writeHomePage, contentSecurityPolicy } = await import('./home/page')
      const { baseUrl } = addresses(request)
      const page = writeHomePage({ name: installation.name, version, baseUrl, voice: findVoice() })
      return new Response(page, {
        headers: {
          ...headersOf(request),
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-cache',
          vary: 'Accept',
          'content-security-policy': contentSecurityPolicy,
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
        },
      })
    },
  } satisfies Partial<Handlers>
}
