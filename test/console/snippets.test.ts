/** The code that the playground gives to copy sends the fields of the take, whatever its text contains. */
import { afterAll, beforeAll, expect, it } from 'bun:test'
import { snippetLanguages, writeSnippet, type SnippetLanguage } from '../../src/console/pages/speak/snippets'
import { describeWith } from '../tools'

const texts = [
  'Hello.',
  `It's "quoted" \\ $HOME \`id\` !! % & <b>bold</b> \${x} {y} # ' '' '\\''`,
  'Lines\nand\r\ntabs\tand \u0000 \u007f \u2028 \u2029 \ufeff',
  '你好，世界 😀 👩‍👩‍👧‍👦 é',
  '@file -d --next',
]

const commands: Record<SnippetLanguage, (code: string) => string[]> = {
  curl: (code) => ['bash', '-c', code],
  TypeScript: (code) => [process.execPath, '-e', code],
  Python: (code) => ['python3', '-c', code],
}
const tools: Record<SnippetLanguage, string[]> = { curl: ['bash', 'curl'], TypeScript: [], Python: ['python3'] }

for (const language of snippetLanguages) {
  describeWith(tools[language], `the code to copy, ${language}`, () => {
    type Received = { path: string; key: string | null; fields: unknown }
    const received: Received[] = []
    let server: Bun.Server<undefined>
    beforeAll(() => {
      server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        async fetch(request) {
          const key = request.headers.get('authorization')
          received.push({ path: new URL(request.url).pathname, key, fields: await request.json() })
          return Response.json({ url: `http://audio/${received.length}.mp3` })
        },
      })
    })
    afterAll(() => server.stop(true))

    it('sends every text with the fields of the take', async () => {
      const take = { voiceId: 'en-kevin', speed: 1.25, format: 'wav' }
      const code = writeSnippet(language, `http://127.0.0.1:${server.port}/speech`, { ...take, texts })
      const child = Bun.spawn(commands[language](code), { stdout: 'pipe', stderr: 'pipe' })
      const output = await new Response(child.stdout).text()
      expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, expect.any(String)])
      expect(received).toEqual(
        texts.map((text) => ({
          path: '/speech/api/v1/tts',
          key: 'Bearer YOUR_API_KEY',
          fields: { text, voice_id: 'en-kevin', speed: 1.25, format: 'wav' },
        })),
      )
      for (let i = 1; i <= texts.length; i++) expect(output).toContain(`http://audio/${i}.mp3`)
    })
  })
}
