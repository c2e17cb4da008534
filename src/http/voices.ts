/** `GET /api/v1/voices` (4.2 of the interface). */
import { Elysia } from 'elysia'
import type { Caller } from '../account/keys'
import { AppError } from '../errors'
import { demoName, type CatalogueVoice } from '../voice/catalogue'
import { optionalCaller } from './auth'
import type { HttpContext } from './context'

export function voiceRoutes({ db, speaking, addresses }: HttpContext) {
  return new Elysia().get('/api/v1/voices', ({ request, query, set }) => {
    const caller = optionalCaller(db, request)
    if (query.group !== undefined) checkGroup(caller, query.group)
    set.headers['cache-control'] = caller ? 'private, no-store' : 'public, max-age=60'
    set.headers.vary = 'Authorization'
    const { catalogue, mp3SampleRate } = speaking
    const voices = catalogue.voices.map((voice) => {
      return describeVoice(voice, `${addresses().storageUrl}/${demoName(voice, mp3SampleRate)}`)
    })
    return { voices, total: voices.length }
  })
}

function checkGroup(caller: Caller | undefined, group: string): void {
  if (caller?.role !== 'admin')
    throw new AppError('group_forbidden', 'group: only administrators may use it.', { param: 'group' })
  if (group !== 'all') throw new AppError('group_not_found', `group: there is no group "${group}".`, { param: 'group' })
}

function describeVoice(voice: CatalogueVoice, demoUrl: string) {
  return {
    id: voice.id,
    display_name: voice.displayName,
    demo_url: demoUrl,
    featured: false,
    language: voice.language,
    gender: voice.gender,
    engine: voice.engine,
    sample_rate: voice.sampleRate,
    description: voice.description,
    deterministic: true,
  }
}
