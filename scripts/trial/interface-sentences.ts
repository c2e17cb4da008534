/** The sentences of the interface that a client can observe, each with its check. Sections 1 to 4.2. */
import { ensure, ensureEqual, ensureError, variantOf, type World } from './interface-world'
import type { Answer, Json } from './server'

export type Sentence = readonly [section: string, sentence: string, holds: (world: World) => Promise<void>]

const ok = (answer: Answer) => ensureEqual(answer.status, 200)
const balanceOf = async (world: World, key: string) => (await world.ask('/api/v1/balance', { key })).body.balance
const listOf = async (world: World, key: string | null, query = ''): Promise<Json[]> =>
  (await world.ask(`/api/v1/voices${query}`, { key })).body.voices

export const speechSentences: readonly Sentence[] = [
  [
    '1',
    'It stores the audio and returns a public address of the file.',
    async (world) => {
      const answer = await world.speak({})
      ok(answer)
      const audio = await world.audio(answer)
      ensureEqual([audio.status, (await audio.bytes()).length > 500], [200, true])
    },
  ],
  [
    '1',
    'Usage is billed in characters against a prepaid balance tied to an API key.',
    async (world) => {
      const { key } = await world.account({ balance: 100 })
      await world.speak({ text: 'twelve chars' }, { key })
      ensureEqual(await balanceOf(world, key), 88)
    },
  ],
  [
    '2.1',
    'A voice has id, display_name, demo_url and featured.',
    async (world) => {
      for (const voice of await listOf(world, null)) {
        const { id, display_name, demo_url, featured } = voice
        ensureEqual(
          [typeof id, typeof display_name, typeof demo_url, typeof featured],
          ['string', 'string', 'string', 'boolean'],
        )
      }
    },
  ],
  [
    '2.1',
    'demo_url is the address of a demo audio.',
    async (world) => {
      const [first] = await listOf(world, null)
      const demo = await fetch(first.demo_url)
      ensureEqual([demo.status, demo.headers.get('content-type')], [200, 'audio/mpeg'])
      ensure((await demo.bytes()).length > 2000, 'a demo of almost nothing')
    },
  ],
  [
    '2.1',
    'owned is present and true only on voices cloned by the calling account, in an authenticated list.',
    async (world) => {
      const { key } = await world.account()
      const made = await world.clone({ key, body: world.form({ name: 'Mine' }, variantOf(world.wav(), 1)) })
      ok(made)
      const list = await listOf(world, key)
      ensureEqual(
        list.filter((voice) => 'owned' in voice).map(({ id, owned }) => [id, owned]),
        [[made.body.voice.id, true]],
      )
      ensure(!(await listOf(world, null)).some((voice) => 'owned' in voice), 'owned in an anonymous list')
    },
  ],
  [
    '2.1',
    'Deactivated voices do not appear in the list.',
    async (world) => {
      await world.admin('PATCH', '/voices/en-ivy', { active: false })
      ensure(!(await listOf(world, null)).some(({ id }) => id === 'en-ivy'), 'still in the anonymous list')
      ensure(!(await listOf(world, world.userKey)).some(({ id }) => id === 'en-ivy'), 'still in the list of a key')
    },
  ],
  [
    '2.3',
    'A synthesis result has url, request_id, voice_id, speed, units, remaining and duration_ms.',
    async (world) => {
      const { body, headers } = await world.speak({ speed: 1.25, voice_id: 'en-clara' })
      ensureEqual([body.voice_id, body.speed, body.units], ['en-clara', 1.25, 12])
      ensure(/^[0-9a-f]{32}$/.test(body.request_id), body)
      ensureEqual(headers.get('x-request-id'), body.request_id)
      ensure(Number.isInteger(body.remaining) && body.duration_ms >= 0, body)
      ensure(!('billing_warning' in body), body)
    },
  ],
  [
    '2.3',
    'The suffix of the url is .mp3 or .wav according to format.',
    async (world) => {
      ensure((await world.speak({})).body.url.endsWith('.mp3'), 'not .mp3')
      ensure((await world.speak({ format: 'mp3' })).body.url.endsWith('.mp3'), 'not .mp3')
      ensure((await world.speak({ format: 'wav' })).body.url.endsWith('.wav'), 'not .wav')
    },
  ],
  [
    '2.3',
    'request_id is unique per request, serves as idempotency key and appears in usage history.',
    async (world) => {
      const key = '0123456789abcdef0123456789abcde1'
      const first = await world.speak({}, { headers: { 'idempotency-key': key } })
      const second = await world.speak({}, { headers: { 'idempotency-key': key } })
      ensureEqual([first.body.request_id, second.body.url], [key, first.body.url])
      ensureEqual(second.headers.get('idempotent-replay'), 'true')
      const { records } = (await world.ask('/api/v1/usage?limit=200')).body
      ensureEqual(records.filter((record: Json) => record.request_id === key).length, 1)
      ensure((await world.speak({})).body.request_id !== (await world.speak({})).body.request_id, 'equal ids')
    },
  ],
  [
    '2.3, 4.1.4',
    'When charging fails, the call succeeds with remaining null and billing_warning.',
    async (world) => {
      const { key } = await world.account()
      const answer = await world.speak({}, { key, headers: { 'x-sonant-fault': 'charge_failed' } })
      ensureEqual([answer.status, answer.body.remaining, typeof answer.body.billing_warning], [200, null, 'string'])
      ensureEqual((await world.audio(answer)).status, 200)
      ensureEqual(await balanceOf(world, key), 10_000)
    },
  ],
  [
    '2.4, 4.6',
    'The balance has balance, unit, account_number (masked) and app; it charges nothing.',
    async (world) => {
      const { key } = await world.account({ balance: 77 })
      for (let i = 0; i < 2; i++) {
        const { balance, unit, account_number, app } = (await world.ask('/api/v1/balance', { key })).body
        ensureEqual([balance, unit, typeof app.slug, typeof app.name], [77, 'characters', 'string', 'string'])
        ensure(/^\*{12}\d{4}$/.test(account_number), account_number)
      }
    },
  ],
  [
    '3',
    'Synthesis with a deactivated voice returns 403 voice_disabled.',
    async (world) => {
      await world.admin('PATCH', '/voices/en-ruth', { active: false })
      ensureError(await world.speak({ voice_id: 'en-ruth' }), 403, 'voice_disabled')
      await world.admin('PATCH', '/voices/en-ruth', { active: true })
      ok(await world.speak({ voice_id: 'en-ruth' }))
    },
  ],
  [
    '3, 5.5',
    'Requests of a disabled account return 403 account_disabled.',
    async (world) => {
      const { id, key } = await world.account()
      await world.admin('POST', `/accounts/${id}/disable`)
      for (const path of ['/api/v1/balance', '/api/v1/voices', '/api/v1/usage'])
        ensureError(await world.ask(path, { key }), 403, 'account_disabled')
      ensureError(await world.speak({}, { key }), 403, 'account_disabled')
    },
  ],
  [
    '3, 5.5',
    'Requests with a revoked key return 403 api_key_revoked.',
    async (world) => {
      const { key, keyId } = await world.account()
      await world.admin('POST', `/keys/${keyId}/revoke`)
      ensureError(await world.speak({}, { key }), 403, 'api_key_revoked')
      ensureError(await world.ask('/api/v1/voices', { key }), 403, 'api_key_revoked')
    },
  ],
  [
    '3, 5.5',
    'Requests with a nonexistent or deleted key return 401 invalid_api_key.',
    async (world) => {
      const { key, keyId } = await world.account()
      await world.admin('DELETE', `/keys/${keyId}`)
      ensureError(await world.speak({}, { key }), 401, 'invalid_api_key')
      ensureError(await world.speak({}, { key: 'sk-never-existed' }), 401, 'invalid_api_key')
    },
  ],
  [
    '4.1',
    'text has 1 to 2000 characters.',
    async (world) => {
      for (const text of [undefined, null, '', 7, ['a'], {}, 'x'.repeat(2001), '😀'.repeat(2001)])
        ensureError(await world.speak({ text }), 400, 'invalid_params')
      ensureEqual((await world.speak({ text: 'x' })).body.units, 1)
      ensureEqual((await world.speak({ text: 'Yes. '.repeat(400), voice_id: 'en-karl-none' })).status, 404)
      ensureEqual((await world.speak({ text: 'Yes. '.repeat(400), voice_id: 'en-kevin', speed: 2 })).body.units, 2000)
    },
  ],
  [
    '4.1',
    'When voice_id is omitted, the first voice of the voice list is used.',
    async (world) => {
      const [first] = await listOf(world, world.userKey)
      for (const voice_id of [undefined, null, ''])
        ensureEqual((await world.speak({ voice_id })).body.voice_id, first.id)
    },
  ],
  [
    '4.1',
    'speed is a multiplier from 0.5 to 2.0; above 1 is faster, below 1 is slower.',
    async (world) => {
      const length = async (speed: number) =>
        (await (await world.audio(await world.speak({ speed, format: 'wav' }))).bytes()).length
      const [slow, normal, fast] = [await length(0.5), await length(1), await length(2)]
      ensure(slow > 1.7 * normal && fast < 0.65 * normal, { slow, normal, fast })
      for (const speed of [0.49, 2.01, 0, -1, '1', null, true, [1]])
        ensureError(await world.speak({ speed }), 400, 'invalid_speed')
    },
  ],
  [
    '4.1',
    'format is mp3 or wav, default mp3; wav is PCM 16-bit, mono, 44.1 kHz.',
    async (world) => {
      const bytes = await (await world.audio(await world.speak({ format: 'wav' }))).bytes()
      const view = new DataView(bytes.buffer, bytes.byteOffset)
      ensureEqual(
        [view.getUint16(20, true), view.getUint16(22, true), view.getUint32(24, true), view.getUint16(34, true)],
        [1, 1, 44_100, 16],
      )
      for (const format of ['MP3', 'ogg', '', null, 1])
        ensureError(await world.speak({ format }), 400, 'invalid_format')
    },
  ],
  [
    '4.1.1, 8',
    'Chinese characters, letters, spaces, punctuation and digits each count 1.',
    async (world) => {
      const counts: readonly [string, number][] = [
        ['你好，世界', 5],
        ['a b', 3],
        ['a  b ', 5],
        ['1,234!', 6],
        ['😀', 1],
        ['🇩🇪', 2],
        ['e\u0301', 2],
      ]
      for (const [text, units] of counts) ensureEqual([text, (await world.speak({ text })).body.units], [text, units])
    },
  ],
  [
    '4.1.2',
    'speed and format do not change the charge.',
    async (world) => {
      for (const fields of [{ speed: 0.5 }, { speed: 2 }, { format: 'wav' }])
        ensureEqual((await world.speak(fields)).body.units, 12)
    },
  ],
  [
    '4.1.3',
    'A failed call is not charged. A successful call is charged once.',
    async (world) => {
      const { key } = await world.account({ balance: 100 })
      for (const fault of ['synthesis_failed', 'storage_failed', 'synthesis_timeout'])
        await world.speak({}, { key, headers: { 'x-sonant-fault': fault } })
      ensureEqual(await balanceOf(world, key), 100)
      await world.speak({}, { key })
      ensureEqual(await balanceOf(world, key), 88)
    },
  ],
  [
    '4.1.5',
    'A cloned voice_id that does not exist or belongs to another account gives 404 voice_not_found.',
    async (world) => {
      const owner = await world.account()
      const made = await world.clone({ key: owner.key, body: world.form({ name: 'Own' }, variantOf(world.wav(), 2)) })
      ok(made)
      ensureError(await world.speak({ voice_id: made.body.voice.id }), 404, 'voice_not_found')
      ensureError(await world.speak({ voice_id: 'cv-none' }), 404, 'voice_not_found')
      ok(await world.speak({ voice_id: made.body.voice.id }, { key: owner.key }))
    },
  ],
  [
    '4.1.6',
    "A voice outside the account's voice plan gives 403 voice_not_allowed.",
    async (world) => {
      const { id: group } = await world.admin('POST', '/groups', { name: 'plan', voices: ['zh-mei', 'en-clara'] })
      const { key } = await world.account({ group })
      ensureError(await world.speak({ voice_id: 'en-ross' }, { key }), 403, 'voice_not_allowed')
      ok(await world.speak({ voice_id: 'en-clara' }, { key }))
      await world.admin('PATCH', '/voices/en-ross', { active: false })
      ensureError(await world.speak({ voice_id: 'en-ross' }, { key }), 403, 'voice_disabled')
      await world.admin('PATCH', '/voices/en-ross', { active: true })
    },
  ],
  [
    '4.2',
    'The list is an object with voices and total.',
    async (world) => {
      const { body } = await world.ask('/api/v1/voices', { key: null })
      ensure(Array.isArray(body.voices) && body.total === body.voices.length && body.total > 50, body.total)
    },
  ],
  [
    '4.2.2, 8',
    'Anonymous results are cached for 60 seconds.',
    async (world) => {
      const { headers } = await world.ask('/api/v1/voices', { key: null })
      ensureEqual([headers.get('cache-control'), headers.get('vary')], ['public, max-age=60', 'Authorization'])
    },
  ],
  [
    '4.2.3',
    'Featured voices come first, in the order set by an administrator, then the rest in catalog order.',
    async (world) => {
      const before = (await listOf(world, null)).map(({ id }) => id)
      await world.admin('PATCH', '/voices/zh-mei', { featured: true, position: 2 })
      await world.admin('PATCH', '/voices/en-clara', { featured: true, position: 1 })
      const after = await listOf(world, null)
      ensureEqual(
        after.slice(0, 2).map(({ id, featured }) => [id, featured]),
        [
          ['en-clara', true],
          ['zh-mei', true],
        ],
      )
      ensureEqual(
        after.slice(2).map(({ id }) => id),
        before.filter((id) => id !== 'zh-mei' && id !== 'en-clara'),
      )
      for (const id of ['zh-mei', 'en-clara']) await world.admin('PATCH', `/voices/${id}`, { featured: false })
    },
  ],
  [
    '4.2.4',
    'With authentication, the list is the one really available to the account.',
    async (world) => {
      const { id: group } = await world.admin('POST', '/groups', { name: 'two', voices: ['en-clara', 'zh-mei'] })
      const { key } = await world.account({ group })
      ensureEqual((await listOf(world, key)).map(({ id }) => id).sort(), ['en-clara', 'zh-mei'])
    },
  ],
  [
    '4.2.5',
    'A non-administrator who passes group gets 403 group_forbidden.',
    async (world) => {
      for (const key of [world.userKey, null])
        for (const query of ['?group=all', '?group=none', '?group='])
          ensureError(await world.ask(`/api/v1/voices${query}`, { key }), 403, 'group_forbidden')
    },
  ],
  [
    '4.2, 4.2.6',
    'An administrator names a group by id or name; all lists everything; an unknown group gives 404 group_not_found.',
    async (world) => {
      const { id } = await world.admin('POST', '/groups', { name: 'named', voices: ['zh-mei'] })
      const key = world.adminKey
      for (const group of [id, 'named'])
        ensureEqual(
          (await listOf(world, key, `?group=${group}`)).map((voice) => voice.id),
          ['zh-mei'],
        )
      ensure((await listOf(world, key, '?group=all')).length > 50, 'all is not everything')
      ensureError(await world.ask('/api/v1/voices?group=nope', { key }), 404, 'group_not_found')
    },
  ],
]
