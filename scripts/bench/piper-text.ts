/** Converts text to ids of the heavy voice with the product's own front end. */
import { parsePiperConfig, type PiperConfig } from '../../src/speech/models/piper-config'
import { loadPhonemizer, type Phonemizer } from '../../src/speech/phonemes/espeak'
import { readPiper } from '../../src/speech/phonemes/piper'
import { heavyConfiguration } from './graph'

let config: Promise<PiperConfig> | undefined
let phonemizer: Promise<Phonemizer> | undefined

async function loadConfig(): Promise<PiperConfig> {
  return parsePiperConfig(await Bun.file(heavyConfiguration).json(), 'heavy.onnx.json')
}

/** Returns the ids of each sentence that the front end finds. */
export async function readIds(text: string): Promise<number[][]> {
  const { alphabet } = await (config ??= loadConfig())
  const runs = await readPiper(text, alphabet, () => (phonemizer ??= loadPhonemizer()))
  return runs.map(({ ids }) => [...ids])
}
