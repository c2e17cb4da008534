/** Malformed bodies for every operation with a body: each gets a clear 4xx, never a 5xx, and nothing is charged. */
import { exchange, faultOf, startTrialServer, statusOf, userKey, adminKey, type TrialServer } from './server'
import { createRandom, type Random } from '../random'
import { createFindings, type TrialOptions, type TrialResult } from './trial'

/** Operations, each with a valid body. */
const targets: readonly (readonly [method: string, path: string, body: Record<string, unknown>])[] = [
  ['POST', '/api/v1/tts', { text: 'Hello there.', voice_id: 'en-ross', speed: 1.5, format: 'wav' }],
  ['POST', '/api/v1/tts/estimate', { text: 'Hello there.', voice_id: 'zh-mei' }],
  ['POST', '/api/v1/voices/clone', { name: 'Voice', hash: '0'.repeat(64) }],
  ['POST', '/api/v1/activation', { code: 'AAAA-BBBB-CCCC-DDDD' }],
  ['POST', '/api/v1/admin/accounts', { name: 'Ada', email: null, balance: 5, role: 'user' }],
  ['POST', '/api/v1/admin/groups', { name: 'plan', voices: ['en-ross'] }],
  ['POST', '/api/v1/admin/codes', { units: 5, count: 2, note: 'trial' }],
]

const awkwardValues: readonly string[] = [
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  '-0',
  '1.5',
  '9007199254740993',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '[]',
  '{}',
  '[[[[]]]]',
  '"' + 'x'.repeat(5000) + '"',
  '{"__proto__":{"admin":true}}',
  '["a","b"]',
]
/** The body with some of its fields replaced, and then perhaps broken as JSON. */
function awkwardJson(fields: Record<string, unknown>, random: Random): string {
  const members = Object.entries(fields).map(([name, value]) => {
    const written = random.below(3) === 0 ? random.pick(awkwardValues) : JSON.stringify(value)
    return `"${name}":${written}`
  })
  if (random.below(8) === 0) members.push(`"other":${random.pick(awkwardValues)}`)
  const whole = `{${members.join(',')}}`
  switch (random.below(14)) {
    case 0:
      return whole.slice(0, random.below(whole.length))
    case 1:
      return whole + random.pick(['}', ',', 'x', '\0', whole])
    case 2:
      return random.pick(awkwardValues)
    case 3:
      return '['.repeat(random.below(3000)) + ']'.repeat(random.below(3000))
    case 4:
      return `\ufeff${whole}`
    case 5:
      return whole.replaceAll('"', random.pick(["'", '“', '']))
    default:
      return whole
  }
}

function awkwardBytes(fields: Record<string, unknown>, random: Random): Uint8Array {
  const bytes = Buffer.from(awkwardJson(fields, random))
  for (let flips = Math.max(0, random.below(9) - 5); flips > 0 && bytes.length > 0; flips--)
    bytes[random.below(bytes.length)] = random.below(256)
  return bytes
}

/** A request whose framing and headers may lie about its body. */
function awkwardRequest(random: Random): { line: string; pieces: (string | Uint8Array)[] } {
  const [method, path, fields] = random.pick(targets)
  const body = awkwardBytes(fields, random)
  const key = path.includes('/admin/') ? adminKey : userKey
  const type = random.pick([
    ...Array<string>(6).fill('application/json'),
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'application/json; charset=utf-16',
    '',
  ])
  const framing = random.pick([
    ...Array<string>(6).fill(`Content-Length: ${body.length}`),
    'Transfer-Encoding: chunked',
    `Content-Length: ${Math.max(0, body.length - 1)}`,
    'Content-Length: 0',
  ])
  const line = `${method} ${path}`
  const head = `${line} HTTP/1.1\r\nHost: t\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\n${framing}\r\n\r\n`
  const chunked = framing.startsWith('Transfer')
  const pieces = chunked ? [head, `${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'] : [head, body]
  return { line: `${line} (${type}, ${framing}) ${body.toString().slice(0, 120)}`, pieces }
}

async function tryOne(server: TrialServer, random: Random): Promise<{ status: number; fault?: string }> {
  const { line, pieces } = awkwardRequest(random)
  const answer = await exchange(server.port, pieces, { silentMs: 2_000 })
  const status = statusOf(answer)
  const text = answer.slice(answer.indexOf('\r\n\r\n') + 4)
  // Bun's own parser closes, or answers 400 without a body.
  if (status === 0 || (status === 400 && text === '')) return { status }
  if (status === 502 || status === 503) return { status, fault: `${line}: answers ${status}` }
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { status, fault: `${line}: an answer that is no JSON: ${answer.slice(0, 200)}` }
  }
  const fault = faultOf({ status, body, text })
  return { status, fault: fault && `${line}: ${fault}` }
}

export async function tryBodies({ size, seed }: TrialOptions): Promise<TrialResult> {
  const findings = createFindings()
  const random = createRandom(seed)
  const server = await startTrialServer()
  try {
    const count = size === 'full' ? 3_000 : 240
    let accepted = 0
    const lanes = Array.from({ length: 4 }, async () => {
      while (findings.result().tried < count) {
        findings.try()
        const { status, fault } = await tryOne(server, random)
        if (status === 200) accepted++
        if (fault) findings.add(fault)
      }
    })
    await Promise.all(lanes)
    if (accepted === 0) findings.add('no body was accepted: the trial proves little')
    await server.inspect(findings)
  } finally {
    await server.stop()
  }
  return findings.result()
}
