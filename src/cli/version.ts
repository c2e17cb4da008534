/** `sonant version`. */
import { commit, version } from '../version'
import { readFlags } from './flags'

export async function printVersion(args: string[]): Promise<void> {
  const { values } = readFlags(args, { json: { type: 'boolean' } })
  console.log(values.json ? JSON.stringify({ version, commit }) : `sonant ${version} (${commit})`)
}
