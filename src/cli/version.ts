/** `sonant version`. */
import { commit, version } from '../version'
import { version as command } from './commands/general'
import { readFlags } from './flags'

export async function printVersion(args: string[]): Promise<void> {
  const { values } = readFlags('version', command, args)
  console.log(values.json ? JSON.stringify({ version, commit }) : `sonant ${version} (${commit})`)
}
