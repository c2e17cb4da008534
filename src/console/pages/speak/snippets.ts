/** The request of a take as programs write it, with any text in it. */

export type Request = {
  /** One per part. */
  readonly texts: readonly string[]
  readonly voiceId: string
  readonly speed: number
  readonly format: string
}

export const snippetLanguages = ['curl', 'TypeScript', 'Python'] as const
export type SnippetLanguage = (typeof snippetLanguages)[number]

const writers: Record<SnippetLanguage, (address: string, request: Request) => string> = {
  curl: writeCurl,
  TypeScript: writeTypeScript,
  Python: writePython,
}

/** `baseUrl` is the address of the service, without a slash at its end. */
export function writeSnippet(language: SnippetLanguage, baseUrl: string, request: Request): string {
  return writers[language](`${baseUrl}/api/v1/tts`, request)
}

const fieldsOf = ({ voiceId, speed, format }: Request) => ({ voice_id: voiceId, speed, format })

/** For a POSIX shell: nothing within single quotes has a meaning but the quote itself. */
const quoteForShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function writeCurl(address: string, request: Request): string {
  return request.texts
    .map(
      (text) => `curl ${quoteForShell(address)} \\
  -H 'Authorization: Bearer YOUR_API_KEY' \\
  -H 'Content-Type: application/json' \\
  --data-raw ${quoteForShell(JSON.stringify({ text, ...fieldsOf(request) }))}`,
    )
    .join('\n')
}

/** A JSON string is a string literal of TypeScript and of Python. */
const literal = (text: string) => JSON.stringify(text)

function writeTypeScript(address: string, request: Request): string {
  const { voiceId, speed, format, texts } = request
  return `const texts = [
${texts.map((text) => `  ${literal(text)},`).join('\n')}
]
for (const text of texts) {
  const answer = await fetch(${literal(address)}, {
    method: 'POST',
    headers: { Authorization: 'Bearer YOUR_API_KEY', 'Content-Type': 'application/json' },
    body: JSON.stringify({ text, voice_id: ${literal(voiceId)}, speed: ${speed}, format: ${literal(format)} }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  const { url } = await answer.json()
  console.log(url)
}
`
}

function writePython(address: string, request: Request): string {
  const { voiceId, speed, format, texts } = request
  return `import json
from urllib.request import Request, urlopen

texts = [
${texts.map((text) => `    ${literal(text)},`).join('\n')}
]
for text in texts:
    fields = {"text": text, "voice_id": ${literal(voiceId)}, "speed": ${speed}, "format": ${literal(format)}}
    request = Request(
        ${literal(address)},
        data=json.dumps(fields).encode(),
        headers={"Authorization": "Bearer YOUR_API_KEY", "Content-Type": "application/json"},
    )
    with urlopen(request) as answer:
        print(json.load(answer)["url"])
`
}
