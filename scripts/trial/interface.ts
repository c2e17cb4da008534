/** Checks every sentence of the interface that a client can observe, one by one. */
import { cloneSentences } from './interface-clones'
import { speechSentences } from './interface-sentences'
import { openWorld } from './interface-world'
import { createFindings, type TrialResult } from './trial'

export async function tryInterface(): Promise<TrialResult> {
  const findings = createFindings()
  const world = await openWorld()
  try {
    for (const [section, sentence, holds] of [...speechSentences, ...cloneSentences]) {
      findings.try()
      try {
        await holds(world)
      } catch (error) {
        findings.add(`${section} "${sentence}": ${(error as Error).message}`)
      }
    }
    await world.server.inspect(findings)
    await world.limited.inspect(findings)
  } finally {
    await world.close()
  }
  return findings.result()
}
