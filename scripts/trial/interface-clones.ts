/** The sentences of the interface on clones, authentication, errors, limits and versioning. Sections 4.3 to 9. */
import { ensure, ensureEqual, ensureError, lasting, variantOf, type World } from './interface-world'
import type { Sentence } from './interface-sentences'
import { exchange, statusOf, type Answer } from './server'

const ok = (answer: Answer) => ensureEqual([answer.status, answer.body?.error?.code], [200, undefined])
const balanceOf = async (world: World, key: string) => (await world.ask('/api/v1/balance', { key })).body.balance
const hashOf = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
const cloneFile = (world: World, key: string, file: Uint8Array, name = 'Voice') =>
  world.clone({ key, body: world.form({ name }, file) })

export const cloneSentences: readonly Sentence[] = [
  [
    '2.2, 4.3',
    'A clone answers ok, duplicate, voice, units and remaining; the voice has its five fields.',
    async (world) => {
      const { key } = await world.account()
      const { body, status } = await cloneFile(world, key, variantOf(world.wav(), 3), ' My voice ')
      ensureEqual([status, body.ok, body.duplicate, body.units, body.remaining], [200, true, false, 300, 9700])
      const { id, display_name, demo_url, duration_sec, created_at } = body.voice
      ensure(id.startsWith('cv-'), id)
      ensureEqual(display_name, 'My voice')
      ensure(duration_sec > 3 && duration_sec < 15, duration_sec)
      ensure(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(created_at), created_at)
      const demo = await fetch(demo_url)
      ensureEqual([demo.status, demo.headers.get('content-type')], [200, 'audio/mpeg'])
    },
  ],
  [
    '2.2',
    'A cloned voice is visible and usable only by the account that created it.',
    async (world) => {
      const { key } = await world.account()
      const { body } = await cloneFile(world, key, variantOf(world.wav(), 4))
      for (const other of [world.userKey, world.adminKey]) {
        const { voices } = (await world.ask('/api/v1/voices', { key: other })).body
        ensure(!voices.some(({ id }: { id: string }) => id === body.voice.id), 'another account sees it')
        ensureError(await world.speak({ voice_id: body.voice.id }, { key: other }), 404, 'voice_not_found')
        const path = `/api/v1/voices/clone?voice_id=${body.voice.id}`
        ensureError(await world.ask(path, { method: 'DELETE', key: other }), 404, 'voice_not_found')
      }
    },
  ],
  [
    '4.2.4',
    "The account's own cloned voices are appended at the end with owned true.",
    async (world) => {
      const { key } = await world.account()
      const ids: string[] = []
      for (const seed of [5, 6]) ids.push((await cloneFile(world, key, variantOf(world.wav(), seed))).body.voice.id)
      const { voices } = (await world.ask('/api/v1/voices', { key })).body
      ensureEqual(
        voices.slice(-2).map(({ id, owned }: { id: string; owned: boolean }) => [id, owned]),
        ids.map((id) => [id, true]),
      )
    },
  ],
  [
    '4.3, 7.1, 8',
    'The file is at most 15 MB and at most 15 seconds.',
    async (world) => {
      const { key } = await world.account()
      ok(await cloneFile(world, key, lasting(world.wav(), 15 * 44_100)))
      ensureError(await cloneFile(world, key, lasting(world.wav(), 15 * 44_100 + 44)), 400, 'duration_exceeded')
      const huge = new Uint8Array(15 * 1024 * 1024 + 1)
      ensureError(await cloneFile(world, key, huge), 413, 'file_too_large')
    },
  ],
  [
    '4.3, 7.1',
    'Audio that is none of the six formats is unsupported_audio; one that cannot be decoded audio_parse_failed.',
    async (world) => {
      const { key } = await world.account()
      const text = new TextEncoder().encode('this is no sound '.repeat(100))
      ensureError(await cloneFile(world, key, text), 400, 'unsupported_audio')
      ensureError(await cloneFile(world, key, world.wav().slice(0, 60)), 400, 'audio_parse_failed')
    },
  ],
  [
    '4.3, 8',
    'name has 1 to 64 characters and none of \\ / : * ? " < > |.',
    async (world) => {
      const { key } = await world.account()
      for (const name of ['', '   ', 'x'.repeat(65), ...'\\/:*?"<>|'].map((each) =>
        each.length === 1 ? `a${each}` : each,
      ))
        ensureError(await cloneFile(world, key, world.wav(), name), 400, 'invalid_params')
      ok(await cloneFile(world, key, variantOf(world.wav(), 7), '名'.repeat(64)))
    },
  ],
  [
    '4.3',
    'One of file or url is required.',
    async (world) => {
      const { key } = await world.account()
      ensureError(await world.clone({ key, body: { name: 'None' } }), 400, 'invalid_params')
      ensureError(await world.clone({ key, body: world.form({ name: 'None' }, undefined) }), 400, 'invalid_params')
      const both = { name: 'Both', url: world.hostUrl, hash: hashOf(world.wav()) }
      ensureError(await world.clone({ key, body: both }), 400, 'invalid_params')
    },
  ],
  [
    '4.3',
    'In JSON mode the service downloads the url and caches it by URL (4.3.3: not downloaded again).',
    async (world) => {
      const { key } = await world.account()
      const first = world.serve(variantOf(world.wav(), 8))
      const url = `${world.hostUrl}/once.wav`
      ok(await world.clone({ key, body: { name: 'By address', url } }))
      const downloads = world.downloads()
      world.serve(variantOf(first, 9))
      const again = await world.clone({ key, body: { name: 'By address', url } })
      ensureEqual([again.body.duplicate, again.body.units, world.downloads()], [true, 0, downloads])
    },
  ],
  [
    '4.3, 4.5',
    'hash is the SHA-256 of a file already known to the service; it skips the file transfer.',
    async (world) => {
      const owner = await world.account()
      const file = variantOf(world.wav(), 10)
      ok(await cloneFile(world, owner.key, file))
      const other = await world.account()
      const made = await world.clone({ key: other.key, body: { name: 'By hash', hash: hashOf(file) } })
      ensureEqual([made.status, made.body.duplicate, made.body.units], [200, false, 300])
      const unknown = await world.clone({ key: other.key, body: { name: 'No', hash: '0'.repeat(64) } })
      ensureError(unknown, 404, 'invalid_params')
    },
  ],
  [
    '4.3.1, 8',
    'A clone costs 300 characters once. The demo rendering is included.',
    async (world) => {
      const { key } = await world.account({ balance: 300 })
      const made = await cloneFile(world, key, variantOf(world.wav(), 11))
      ensureEqual([made.body.units, made.body.remaining, await balanceOf(world, key)], [300, 0, 0])
    },
  ],
  [
    '4.3.2',
    'A byte-identical file cloned again is not charged and returned with duplicate true.',
    async (world) => {
      const { key } = await world.account({ balance: 300 })
      const file = variantOf(world.wav(), 12)
      const first = await cloneFile(world, key, file)
      const second = await cloneFile(world, key, file, 'Another name')
      ensureEqual(
        [second.status, second.body.duplicate, second.body.units, second.body.voice.id],
        [200, true, 0, first.body.voice.id],
      )
    },
  ],
  [
    '4.3.6',
    'Use of a cloned voice is charged like a normal voice.',
    async (world) => {
      const { key } = await world.account()
      const { body } = await cloneFile(world, key, variantOf(world.wav(), 13))
      const spoken = await world.speak({ voice_id: body.voice.id }, { key })
      ensureEqual([spoken.status, spoken.body.units, spoken.body.remaining], [200, 12, 10_000 - 312])
    },
  ],
  [
    '4.4',
    'DELETE answers ok and deleted; the voice is gone, the balance is not affected.',
    async (world) => {
      const { key } = await world.account()
      const { body } = await cloneFile(world, key, variantOf(world.wav(), 14))
      const path = `/api/v1/voices/clone?voice_id=${body.voice.id}`
      const deleted = await world.ask(path, { method: 'DELETE', key })
      ensureEqual([deleted.status, deleted.body], [200, { ok: true, deleted: body.voice.id }])
      ensureEqual(await balanceOf(world, key), 9700)
      ensureError(await world.ask(path, { method: 'DELETE', key }), 404, 'voice_not_found')
      ensureError(await world.speak({ voice_id: body.voice.id }, { key }), 404, 'voice_not_found')
    },
  ],
  [
    '4.5',
    'Precheck answers exists, own_voice, fee_units and voice_count.',
    async (world) => {
      const { key } = await world.account()
      const file = variantOf(world.wav(), 15)
      const path = `/api/v1/voices/clone/precheck?hash=${hashOf(file)}`
      const none = { exists: false, own_voice: null, fee_units: 300, voice_count: 0 }
      ensureEqual((await world.ask(path, { key })).body, none)
      const { body } = await cloneFile(world, key, file)
      const own = (await world.ask(path, { key })).body
      ensureEqual(own, { exists: true, own_voice: body.voice, fee_units: 0, voice_count: 1 })
      ensureEqual((await world.ask(path)).body.exists, true)
      ensureError(await world.ask('/api/v1/voices/clone/precheck?hash=xyz', { key }), 400, 'invalid_params')
    },
  ],
  [
    '5.1, 5.5',
    'A missing or malformed header gives 401 missing_api_key, wherever authentication is required.',
    async (world) => {
      const calls: readonly [string, string][] = [
        ['POST', '/api/v1/tts'],
        ['POST', '/api/v1/tts/estimate'],
        ['POST', '/api/v1/voices/clone'],
        ['DELETE', '/api/v1/voices/clone'],
        ['GET', '/api/v1/voices/clone/precheck'],
        ['GET', '/api/v1/balance'],
        ['GET', '/api/v1/usage'],
        ['GET', '/api/v1/usage.csv'],
        ['POST', '/api/v1/activation'],
        ['GET', '/api/v1/admin/accounts'],
      ]
      const headers = [
        {},
        { authorization: world.userKey },
        { authorization: 'Basic abc' },
        { authorization: 'Bearer ' },
      ]
      for (const [method, path] of calls)
        for (const each of headers)
          ensureError(
            await world.ask(path, { method, key: null, headers: each as Record<string, string> }),
            401,
            'missing_api_key',
          )
    },
  ],
  [
    '5.3',
    'GET /api/v1/voices works without the header, and says of a bad one what is wrong.',
    async (world) => {
      ok(await world.ask('/api/v1/voices', { key: null }))
      ensureError(await world.ask('/api/v1/voices', { key: 'sk-none' }), 401, 'invalid_api_key')
    },
  ],
  [
    '7.1',
    'Malformed JSON is 400 invalid_params.',
    async (world) => {
      for (const body of ['', '{', 'null', '[]', '"text"', '{"text":"a"}x', '\u0000'])
        ensureError(await world.ask('/api/v1/tts', { body }), 400, 'invalid_params')
    },
  ],
  [
    '7.1',
    'Balance too low: 402 insufficient_balance; nothing is spoken or charged.',
    async (world) => {
      const { key } = await world.account({ balance: 11 })
      const answer = await world.speak({}, { key })
      ensureError(answer, 402, 'insufficient_balance')
      ensure(/11/.test(answer.body.error.message) && /12/.test(answer.body.error.message), answer.body.error.message)
      ensureEqual(await balanceOf(world, key), 11)
    },
  ],
  [
    '7.2',
    'The key reached its own spend ceiling: 402 key_cap_reached.',
    async (world) => {
      const { id } = await world.account()
      const { api_key: key } = await world.admin('POST', `/accounts/${id}/keys`, { name: 'capped', cap: 20 })
      ok(await world.speak({}, { key }))
      ensureError(await world.speak({}, { key }), 402, 'key_cap_reached')
    },
  ],
  [
    '7.1',
    'The clone url cannot be parsed: 400 invalid_url; it points to an internal address: url_blocked.',
    async (world) => {
      for (const url of ['not an address', 'ftp://example.com/a.wav', 'http://user:word@example.com/a.wav'])
        ensureError(await world.clone({ body: { name: 'V', url } }), 400, 'invalid_url')
      for (const url of [
        'http://127.0.0.1:1/a.wav',
        'http://10.0.0.1/a.wav',
        'http://[::1]/a.wav',
        'http://localhost/a',
      ])
        ensureError(await world.clone({ body: { name: 'V', url } }), 400, 'url_blocked')
    },
  ],
  [
    '7.1',
    'Clone audio behind a url over 15 MB: 413 url_too_large; a download that fails: 502 url_fetch_failed.',
    async (world) => {
      const body = (path: string) => ({ body: { name: 'V', url: `${world.hostUrl}/${path}` } })
      ensureError(await world.clone(body('large.wav')), 413, 'url_too_large')
      ensureError(await world.clone(body('missing.wav')), 502, 'url_fetch_failed')
      ensureError(await world.clone(body('text.wav')), 400, 'unsupported_audio')
    },
  ],
  [
    '7.1',
    'Engine, storage, encoding and stretching failures have their codes; nothing is charged; a retry works.',
    async (world) => {
      const { key } = await world.account({ balance: 12 })
      const faults: readonly [string, Record<string, unknown>, number, string][] = [
        ['synthesis_failed', {}, 502, 'synthesis_failed'],
        ['synthesis_timeout', {}, 504, 'synthesis_failed'],
        ['storage_failed', {}, 502, 'storage_failed'],
        ['transcode_failed', { format: 'wav' }, 502, 'transcode_failed'],
        ['speed_processing_failed', { speed: 1.5 }, 502, 'speed_processing_failed'],
      ]
      for (const [fault, fields, status, code] of faults)
        ensureError(await world.speak(fields, { key, headers: { 'x-sonant-fault': fault } }), status, code)
      ok(await world.speak({}, { key }))
    },
  ],
  [
    '7.1',
    'Clone demo rendering failed: 502 render_failed, not charged, a retry works.',
    async (world) => {
      const { key } = await world.account({ balance: 300 })
      const body = () => world.form({ name: 'V' }, variantOf(world.wav(), 16))
      ensureError(
        await world.clone({ key, body: body(), headers: { 'x-sonant-fault': 'render_failed' } }),
        502,
        'render_failed',
      )
      ensureEqual(await balanceOf(world, key), 300)
      ok(await world.clone({ key, body: body() }))
    },
  ],
  [
    '7.2',
    'The envelope has the single key error; its request_id is the X-Request-Id of the answer.',
    async (world) => {
      const answer = await world.speak({ text: '' })
      ensureEqual(Object.keys(answer.body), ['error'])
      ensureEqual(answer.body.error.x_relay.request_id, answer.headers.get('x-request-id'))
      ensureEqual(answer.body.error.param, 'text')
    },
  ],
  [
    '8',
    'TTS: 60 calls per minute and key; over it 429 rate_limited with Retry-After. A refused call does not count.',
    async ({ limited }) => {
      const answers: Answer[] = []
      const body = { text: 'a', voice_id: 'en-kevin' }
      for (let i = 0; i < 62; i++) answers.push(await limited.ask('/api/v1/tts', { body }))
      ensureEqual(answers.filter(({ status }) => status === 200).length, 60)
      const refused = answers.at(-1)!
      ensureError(refused, 429, 'rate_limited')
      const seconds = refused.headers.get('retry-after')
      ensure(/^\d+$/.test(seconds ?? '') && Number(seconds) >= 1 && Number(seconds) <= 60, seconds)
    },
  ],
  [
    '8',
    'Clone: 10 calls per minute and key.',
    async ({ limited }) => {
      const statuses: number[] = []
      for (let i = 0; i < 11; i++)
        statuses.push((await limited.ask('/api/v1/voices/clone', { body: { name: 'V', hash: '0'.repeat(64) } })).status)
      ensureEqual(statuses, [...Array<number>(10).fill(404), 429])
    },
  ],
  [
    '9',
    'All endpoints carry the prefix /api/v1.',
    async (world) => {
      for (const path of ['/tts', '/voices', '/balance', '/api/v2/voices', '/api/voices'])
        ensureError(await world.ask(path), 404, 'invalid_request')
      ensureEqual((await world.ask('/api/v1/version', { key: null })).body.api, ['v1'])
    },
  ],
  [
    '1',
    'The clone endpoint also accepts multipart/form-data, whose parts come in any order and any pieces.',
    async (world) => {
      const file = Buffer.from(variantOf(world.wav(), 17)).toString('latin1')
      const part = (head: string, body: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`
      const body = Buffer.from(
        `${part('name="file"; filename="v.wav"', file)}${part('name="name"', 'Last')}--b--\r\n`,
        'latin1',
      )
      const head = `POST /api/v1/voices/clone HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer ${world.userKey}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n`
      const pieces = [head, ...Array.from({ length: 50 }, (_, i) => body.subarray(i * 1000, (i + 1) * 1000))]
      const answer = await exchange(world.server.port, [...pieces, body.subarray(50_000)], { firstMs: 30_000 })
      ensureEqual(statusOf(answer), 200)
    },
  ],
]
