/** Installed packs in the form that the voice room accepts. */
import type { VoicePack } from '../../src/voice/catalogue'

type Options = Partial<Pick<VoicePack, 'family' | 'deterministic'>> & {
  version?: string
  language?: string
  gender?: 'female' | 'male' | null
}

/** Makes a Piper pack with voices of those ids. */
export function voicePack(name: string, ids: readonly string[], options: Options = {}): VoicePack {
  const { family = 'piper', deterministic = true, version = '1', language = 'en-GB', gender = null } = options
  return {
    family,
    model: { directory: `/srv/voices/${name}`, graph: 'model.onnx', version, memoryBytes: 1 << 20 },
    sampleRate: 22_050,
    deterministic,
    batches: false,
    voices: ids.map((id, speaker) => {
      return {
        id,
        displayName: `${name} ${speaker}`,
        description: null,
        language,
        gender,
        settings: { voice: '', speaker },
      }
    }),
  }
}
