/** The greetings of a start, for a person at a terminal. Programs read the JSON line on stdout. */

type Start = {
  readonly baseUrl: string
  readonly dataDirectory: string
  readonly apiKey: string
  readonly setupUrl: string
  /** Whether a person reads it. A journal would store the secrets, which the JSON line already holds. */
  readonly isTerminal: boolean
}

/** The greeting of the first start. */
export function welcome({ baseUrl, dataDirectory, apiKey, setupUrl, isTerminal }: Start): string {
  const link = isTerminal
    ? openLink(setupUrl)
    : 'Open the link in the JSON line on stdout ("setup_url") in a browser, within 24 hours.'
  const key = isTerminal
    ? `Your API key, shown this once:  ${apiKey}`
    : 'Your API key is in the JSON line on stdout ("api_key"), this once.'
  return `
  Sonant is ready. ${link}
  Its data is in ${dataDirectory}

  ${key}

  Try it:
    curl ${baseUrl}/api/v1/tts \\
      -H 'Authorization: Bearer ${isTerminal ? apiKey : 'sk-…'}' \\
      -H 'Content-Type: application/json' \\
      -d '{"text":"Hello! This is my first sentence."}'
`
}

/** The greeting of a start without a first key, while no administrator can sign in. */
export function offerLink(setupUrl: string): string {
  return `
  Sonant is ready, and no administrator can sign in yet. ${openLink(setupUrl)}
`
}

function openLink(setupUrl: string): string {
  return `Open this link in a browser and choose a password:

    ${setupUrl}

  It works once, within 24 hours.`
}
