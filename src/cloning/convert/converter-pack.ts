/**
 * Packs of the OpenVoice v2 tone color converter, as exported by season-studio for MeloTTS-ONNX
 * (https://huggingface.co/seasonstudio/openvoice_tone_clone_onnx): `tone_color_extract_model.onnx` extracts a speaker
 * embedding, `tone_clone_model.onnx` converts speech to another one, `configuration.json` describes the spectrogram.
 */
import { isFields } from '../../fields'
import { sha256Hex } from '../../hash'
import type { GraphInfo } from '../../speech/onnx/file'
import type { TensorInfo } from '../../speech/onnx/runtime'
import type { SpectrogramSettings } from './spectrogram'
import type { PackReader } from '../../speech/models/family'
import { BadPack } from '../../speech/models/pack'

export const extractorFile = 'tone_color_extract_model.onnx'
export const converterFile = 'tone_clone_model.onnx'
export const configurationFile = 'configuration.json'

/** Numbers in a speaker embedding. */
export const speakerEmbeddingSize = 256
/** Sample rate of all converted sound, Hz. */
export const converterSampleRate = 22_050

/** −1 in the file or here: any size. */
type Wanted = Pick<TensorInfo, 'name' | 'type' | 'dims'>

export const readConverterPack: PackReader = async (folder) => {
  const files = [extractorFile, converterFile, configurationFile]
  if (!folder.files.includes(extractorFile) && !folder.files.includes(converterFile)) return undefined
  const missing = files.filter((file) => !folder.files.includes(file))
  if (missing.length > 0) throw new BadPack(`${missing.join(' and ')} of the tone converter is missing`)
  const { filterLength } = readSpectrogramSettings(await folder.readJson(configurationFile))
  const bins = filterLength / 2 + 1
  check(extractorFile, await folder.readGraph(extractorFile), [{ name: 'input', type: 'float32', dims: [1, -1, bins] }])
  check(converterFile, await folder.readGraph(converterFile), [
    { name: 'audio', type: 'float32', dims: [1, bins, -1] },
    { name: 'audio_length', type: 'int64', dims: [1] },
    { name: 'src_tone', type: 'float32', dims: [1, speakerEmbeddingSize, 1] },
    { name: 'dest_tone', type: 'float32', dims: [1, speakerEmbeddingSize, 1] },
    { name: 'tau', type: 'float32', dims: [1] },
  ])
  return {
    family: 'converter',
    graph: converterFile,
    sampleRate: converterSampleRate,
    voices: [],
    license: null,
    fingerprint: fingerprintOf(await folder.read(extractorFile, extractorBytesMax)),
  }
}

/** OpenVoice's extractor has 3.3 MB. */
const extractorBytesMax = 64 << 20

/**
 * The SHA-256 of the extractor's file: converters with another extractor use other embeddings. The path and the time of
 * installation do not matter.
 */
export function fingerprintOf(extractor: Uint8Array): string {
  return sha256Hex(extractor)
}

/** Throws `BadPack` on an invalid configuration, or another sample rate than `converterSampleRate`. */
export function readSpectrogramSettings(configuration: Readonly<Record<string, unknown>>): SpectrogramSettings {
  const { data } = configuration
  const read = (name: string): number => {
    const value = isFields(data) ? data[name] : undefined
    if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 65_536) return value
    throw new BadPack(`${configurationFile}: data.${name} is not a whole number from 1 to 65536`)
  }
  const sampleRate = read('sampling_rate')
  const filterLength = read('filter_length')
  const hopLength = read('hop_length')
  if (sampleRate !== converterSampleRate)
    throw new BadPack(`${configurationFile}: data.sampling_rate is ${sampleRate}, not ${converterSampleRate}`)
  if (filterLength < 4 || !Number.isInteger(Math.log2(filterLength)))
    throw new BadPack(`${configurationFile}: data.filter_length is ${filterLength}, not a power of two`)
  if (hopLength > filterLength || (filterLength - hopLength) % 2 !== 0)
    throw new BadPack(`${configurationFile}: data.hop_length is ${hopLength}, which does not fit filter_length`)
  if (read('win_length') !== filterLength)
    throw new BadPack(`${configurationFile}: data.win_length must equal filter_length, ${filterLength}`)
  return { sampleRate, filterLength, hopLength }
}

function check(file: string, { inputs, outputs }: GraphInfo, wanted: readonly Wanted[]): void {
  const describe = ({ name, type, dims }: Wanted) =>
    `${name} ${type} [${dims.map((size) => (size < 0 ? '?' : size)).join(', ')}]`
  for (const input of wanted) {
    const found = inputs.find(({ name }) => name === input.name)
    if (found && found.type === input.type && fits(found.dims, input.dims)) continue
    const instead = found ? `, but ${describe(found)}` : ''
    throw new BadPack(`${file} has no input ${describe(input)}${instead}: it is not the tone converter's`)
  }
  const other = inputs.find(({ name }) => !wanted.some((input) => input.name === name))
  if (other) throw new BadPack(`${file} has an input that the tone converter does not have: ${describe(other)}`)
  if (outputs[0]?.type !== 'float32') throw new BadPack(`${file} has no output of type float32`)
}

function fits(found: readonly number[], wanted: readonly number[]): boolean {
  if (found.length !== wanted.length) return false
  return found.every((size, i) => size < 0 || wanted[i]! < 0 || size === wanted[i])
}
