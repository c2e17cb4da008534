/** `sonant version`. */
import { commit, version } from '../version'
import { commonFlags, readFlags } from './flags'

export async function printVersion(args: string[]): Promise<void> {
  const { values } = readFlags(args, commonFlags)
  console.log(values.json ? JSON.stringify({ version, commit }) : `sonant ${version} (${commit})`)
}
