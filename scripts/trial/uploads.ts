/** Endless, useless and slow forms: each is answered or closed in time and leaves no file. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { exchange, startTrialServer, statusOf, userKey } from './server'
import { createFindings, type TrialOptions, type TrialResult } from './trial'

const large = 'x'.repeat(300_000)
const disposition = 'Content-Disposition: form-data; name="file"; filename="v.wav"\r\n'

/** The body between the first boundary and the end. Each is complete except for the fault in its name. */
const forms: Record<string, string> = {
  'a part without a disposition': `--b\r\n\r\n${large}\r\n--b--\r\n`,
  'a part that is not form-data': `--b\r\nContent-Disposition: attachment; filename="a"\r\n\r\n${large}\r\n--b--\r\n`,
  'a part without a name': `--b\r\nContent-Disposition: form-data\r\n\r\n${large}\r\n--b--\r\n`,
  'a file without a name': `--b\r\nContent-Disposition: form-data; filename="a"\r\n\r\n${large}\r\n--b--\r\n`,
  'a preamble without end': large,
  'an epilogue': `--b\r\n${disposition}\r\nRIFF\r\n--b--\r\n${large}`,
  'a header without end': `--b\r\nX: ${large}`,
  'a boundary that never comes': `--b\r\n${disposition}\r\n${large}`,
  'a skipped part after the file': `--b\r\n${disposition}\r\nRIFF\r\n--b\r\nContent-Type: text/plain\r\n\r\n${large}\r\n--b--\r\n`,
  'a file of another field': `--b\r\n${disposition.replace('name="file"', 'name="other"')}\r\n${large}\r\n--b--\r\n`,
}

export async function tryUploads({ size }: TrialOptions): Promise<TrialResult> {
  const findings = createFindings()
  const server = await startTrialServer()
  const repeats = size === 'full' ? 20 : 2
  try {
    const sent = Object.entries(forms).flatMap(([name, body]) =>
      Array.from({ length: repeats }, async () => {
        findings.try()
        const head = `POST /api/v1/voices/clone HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer ${userKey}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n`
        const answer = await exchange(server.port, [head, body], { firstMs: 60_000 })
        const status = statusOf(answer)
        if (status < 400 || status >= 500) findings.add(`${name}: answers ${status}`)
      }),
    )
    await Promise.all(sent)
    const left = await readdir(join(await server.dataDirectory(), 'references'))
    if (left.length > 0) findings.add(`left behind: ${left.join(', ')}`)
    await server.inspect(findings)
  } finally {
    const stoppedAtMs = performance.now()
    const exitCode = await server.stop()
    if (exitCode !== 0) findings.add(`SIGTERM ended it with ${exitCode}`)
    if (performance.now() - stoppedAtMs > 25_000)
      findings.add('SIGTERM waited out its grace for uploads that were over')
  }
  return findings.result()
}
