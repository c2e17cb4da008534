/** The greeting of a first start, for a person at a terminal. Programs read the JSON line on stdout. */

type Start = {
  readonly baseUrl: string
  readonly dataDirectory: string
  readonly apiKey: string
  /** Whether a person reads it. A journal would store the key, which the JSON line already holds. */
  readonly isTerminal: boolean
}

export function welcome({ baseUrl, dataDirectory, apiKey, isTerminal }: Start): string {
  const [key, where] = isTerminal
    ? [apiKey, `Your API key, shown this once:  ${apiKey}`]
    : ['sk-…', 'Your API key is in the JSON line on stdout ("api_key"), this once.']
  return `
  Sonant is ready. Open ${baseUrl}/ in a browser, or go on here.
  Its data is in ${dataDirectory}

  ${where}

  Try it:
    curl ${baseUrl}/api/v1/tts \\
      -H 'Authorization: Bearer ${key}' \\
      -H 'Content-Type: application/json' \\
      -d '{"text":"Hello! This is my first sentence."}'
`
}
