/** Private addresses in every notation of URLs: none may be fetched. */
import { faultOf, startTrialServer } from './server'
import { createRandom } from '../random'
import { createFindings, type TrialOptions, type TrialResult } from './trial'

/** One of each special network (RFC 6890 and its kin), as four bytes. */
const inside4: readonly (readonly [number, number, number, number])[] = [
  [127, 0, 0, 1],
  [127, 255, 255, 254],
  [10, 0, 0, 1],
  [10, 255, 1, 2],
  [172, 16, 0, 1],
  [172, 31, 255, 254],
  [192, 168, 0, 1],
  [192, 168, 255, 1],
  [169, 254, 169, 254],
  [169, 254, 0, 1],
  [100, 64, 0, 1],
  [100, 127, 255, 1],
  [0, 0, 0, 0],
  [0, 1, 2, 3],
  [192, 0, 0, 8],
  [192, 0, 2, 1],
  [198, 51, 100, 1],
  [203, 0, 113, 1],
  [198, 18, 0, 1],
  [198, 19, 255, 1],
  [224, 0, 0, 1],
  [239, 255, 255, 250],
  [240, 0, 0, 1],
  [255, 255, 255, 255],
]

const inside6: readonly string[] = [
  '::',
  '::1',
  'fc00::1',
  'fd12:3456:789a::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ff05::2',
  '2001:db8::1',
  '100::1',
  '2001:2::1',
  '2001:10::1',
  '3fff::1',
  '5f00::1',
  'fd00:ec2::254',
]

const names: readonly string[] = ['localhost', 'LOCALHOST', 'localhost.', 'sub.localhost', 'ip6-localhost', '①②⑦.⓪.⓪.①']

/** All notations of these four bytes that some parser accepts as an address. */
function formsOf([a, b, c, d]: readonly [number, number, number, number]): string[] {
  const whole = ((a << 24) >>> 0) + (b << 16) + (c << 8) + d
  const octal = (value: number) => `0${value.toString(8)}`
  const hex = (value: number) => `0x${value.toString(16)}`
  const mapped = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  return [
    `${a}.${b}.${c}.${d}`,
    `${a}.${b}.${c}.${d}.`,
    String(whole),
    hex(whole),
    [a, b, c, d].map(octal).join('.'),
    [a, b, c, d].map(hex).join('.'),
    `${a}.${b}.${(c << 8) | d}`,
    `${a}.${(b << 16) | (c << 8) | d}`,
    `[::ffff:${mapped}]`,
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `[::${mapped}]`,
    `[64:ff9b::${mapped}]`,
    `[64:ff9b:1::${mapped}]`,
    `[2002:${mapped}::1]`,
  ]
}

export async function tryAddresses({ size, seed }: TrialOptions): Promise<TrialResult> {
  const findings = createFindings()
  const random = createRandom(seed)
  const hosts = [...inside4.flatMap(formsOf), ...inside6.map((address) => `[${address}]`), ...names]
  const chosen = size === 'full' ? hosts : hosts.filter(() => random.below(3) === 0)
  const server = await startTrialServer()
  try {
    for (const host of chosen) {
      findings.try()
      const url = `http://${host}:${random.pick([80, 8080, server.port])}/voice.wav`
      const answer = await server.ask('/api/v1/voices/clone', { body: { name: 'Inside', url } })
      const code = answer.body?.error?.code
      // A name may not resolve on this machine.
      const isRefused = ['url_blocked', 'invalid_url', ...(names.includes(host) ? ['url_fetch_failed'] : [])].includes(
        code,
      )
      const fault = faultOf(answer) ?? (isRefused ? undefined : `answers ${answer.status} ${code}`)
      if (fault) findings.add(`${url}: ${fault}`)
    }
    await server.inspect(findings)
  } finally {
    await server.stop()
  }
  return findings.result()
}
