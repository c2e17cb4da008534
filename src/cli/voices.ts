/** `sonant voices`: the catalogue. */
import { readCatalogue } from '../voice/catalogue'
import { readFlags } from './flags'

export async function listVoices(args: string[]): Promise<void> {
  const { values } = readFlags(args, { json: { type: 'boolean' } })
  const { voices } = readCatalogue()
  if (values.json) {
    const items = voices.map(({ id, displayName, language, gender, engine }) => {
      return { id, display_name: displayName, language, gender, engine }
    })
    return console.log(JSON.stringify({ items }))
  }
  for (const { id, language, gender, displayName, description } of voices)
    console.log(
      [id.padEnd(14), language.padEnd(6), gender.padEnd(7), displayName, description ?? ''].join('  ').trimEnd(),
    )
}
