/** The same request, the same bytes: at once on two workers, and from a server that was started later. */
import { basename } from 'node:path'
import { type EphemeralSonant, stopAndRemove } from '../../test/executable/sonant'
import { startWithPacks, type Speaker } from './speakers'

const copies = 4

export async function measureSameness(speakers: readonly Speaker[], texts: readonly string[], sonant: EphemeralSonant) {
  const later = await startWithPacks(
    speakers.map(({ name }) => name),
    1,
  )
  try {
    for (const { name, voiceId } of speakers) {
      if (voiceId === undefined) continue
      const ask = async (server: EphemeralSonant, text: string) =>
        Bun.hash((await server.speak({ text, voice_id: voiceId, format: 'wav' })).audio)
      const hashes = new Set<string>()
      for (const text of texts) {
        const together = await Promise.all(Array.from({ length: copies }, () => ask(sonant, text)))
        for (const hash of [...together, await ask(later, text)]) hashes.add(`${text} ${hash}`)
      }
      const same = hashes.size === texts.length ? 'the same bytes' : `${hashes.size} DIFFERENT FILES`
      const { models } = await sonant.admin('/compute')
      const loaded = (models as { name: string; processes: number }[])
        .map(({ name: model, processes }) => `${basename(model)} in ${processes} processes`)
        .join(', ')
      console.log(`${name}: ${texts.length} texts, ${copies} times at once and by another server: ${same} (${loaded})`)
    }
  } finally {
    await stopAndRemove(later)
  }
}
