/** The built-in engines, in this process. */
import { beforeAll, describe, expect, it } from 'bun:test'
import { loadEngine } from '../../src/speech/load-engine'
import type { EngineName, VoiceSpec } from '../../src/speech/voice'
import type { SpeechEngine } from '../../src/speech/engine'
import { readCatalogue } from '../../src/voice/catalogue'

const voice = (engine: EngineName, name: string, language: string): VoiceSpec => {
  return { id: name, engine, language, sampleRate: 22_050, settings: { voice: name } }
}

/** Texts that once leaked state from one call into the next. */
const history: [EngineName, string, string, string][] = [
  ['espeak', 'en-us+f3', 'en-US', 'Hello 8'],
  ['espeak', 'cmn+f3', 'zh-CN', 'Hello 0. Das ist ein Satz. 今天天气很好。'],
  ['espeak', 'ru+f3', 'ru-RU', 'Hello 12. Das ist ein Satz. 今天天气很好。'],
  ['espeak', 'de', 'de-DE', '<speak><voice xml:lang="fr">Guten Tag</voice> <prosody rate="x-fast">schnell</prosody>'],
  ['espeak', 'cmn', 'zh-CN', '我用iPhone打了三个call'],
  ['espeak', 'fr', 'fr-FR', `${'Bonjour tout le monde. '.repeat(80)}`],
  ['flite', 'rms', 'en-US', 'Hello there.'],
  ['flite', 'slt', 'en-US', '--help -voice rms'],
]

const hashOf = ({ samples }: { samples: Float32Array }) => Bun.hash(samples)

describe('the engines', () => {
  let engines: Record<EngineName, SpeechEngine>
  beforeAll(async () => {
    engines = { espeak: await loadEngine('espeak'), flite: await loadEngine('flite') }
  })

  it('give the same samples in every instance, whatever text came before', async () => {
    const [one, other] = [engines, { espeak: await loadEngine('espeak'), flite: await loadEngine('flite') }]
    const forwards: (number | bigint)[] = []
    for (const [engine, name, language, text] of history)
      forwards.push(hashOf(await one[engine].synthesize(voice(engine, name, language), text)))
    for (let round = 0; round < 2; round++)
      for (const [i, [engine, name, language, text]] of [...history.entries()].reverse()) {
        const again = hashOf(await (round % 2 ? one : other)[engine].synthesize(voice(engine, name, language), text))
        expect([i, again]).toEqual([i, forwards[i]!])
      }
  })

  it('speak markup and flags as text', async () => {
    const spoken = await engines.espeak.synthesize(voice('espeak', 'en-us', 'en-US'), '<break time="3600s"/> hello')
    expect(spoken.samples.length / spoken.sampleRate).toBeWithin(1, 20)
    const dashes = await engines.flite.synthesize(voice('flite', 'rms', 'en-US'), '--version')
    expect(dashes.samples.length / dashes.sampleRate).toBeWithin(0.3, 3)
  })

  it('refuse a voice that they do not have', async () => {
    await expect(engines.espeak.synthesize(voice('espeak', 'nonsense', 'xx'), 'hello')).rejects.toThrow('no voice')
  })

  it('have every voice of the catalogue, at its stated sample rate', async () => {
    const catalogue = readCatalogue()
    for (const entry of catalogue.builtIn.filter(({ engine }) => engine !== 'hibari')) {
      const { samples, sampleRate } = await engines[entry.engine as EngineName].synthesize(
        entry,
        entry.demo.slice(0, 20),
      )
      expect([entry.id, sampleRate]).toEqual([entry.id, entry.sampleRate])
      expect(samples.length / sampleRate).toBeGreaterThan(0.3)
    }
  })
})
