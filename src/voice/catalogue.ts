/**
 * The catalogue: all voices in the order of the list; the first one is the default. The built-in voices come first, in
 * the order that the data directory remembers. Their manifests are in `voices/catalogue.json`, embedded in the
 * executable; a build may lack the voice of an asset. The voices of installed packs follow and may come and go while the
 * server runs. Fallback voices are not listed; they read scripts that the requested voice cannot.
 */
import { findBuiltIn } from '../assets/built-in'
import type { Assets } from '../assets/embedded'
import { sha256Hex } from '../hash'
import { baseLanguage } from '../language'
import type {
  Adaptation,
  EngineName,
  EngineSettings,
  Gender,
  ModelFiles,
  NeuralEngineName,
  VoiceSpec,
} from '../speech/voice'
import manifest from '../../voices/catalogue.json'

export type CatalogueVoice = VoiceSpec & {
  /** null: unknown. */
  readonly gender: Gender | null
  readonly displayName: string
  readonly description: string | null
  /** A sentence in the voice's language. */
  readonly demo: string
  /** Whether the same request gives the same bytes. */
  readonly deterministic: boolean
  /** Version of the asset that a built-in neural voice speaks with. */
  readonly assetVersion?: string
}

export type BuiltInVoice = CatalogueVoice & { readonly engine: EngineName | 'hibari'; readonly gender: Gender }

/**
 * The voices of an installed pack. It has the shape of `Pack` of the speech room. Voice ids are unique across packs.
 */
export type VoicePack = {
  readonly family: NeuralEngineName | 'converter'
  readonly model: ModelFiles
  /** Hz. */
  readonly sampleRate: number
  readonly deterministic: boolean
  readonly batches: boolean
  readonly voices: readonly Pick<
    CatalogueVoice,
    'id' | 'displayName' | 'description' | 'language' | 'gender' | 'settings'
  >[]
}

export type Catalogue = {
  /** A new array after every `install`. */
  readonly voices: readonly CatalogueVoice[]
  readonly builtIn: readonly BuiltInVoice[]
  /** Ids of the built-in voices in the order to remember, with those that this build lacks. */
  readonly builtInIds: readonly string[]
  /** Ids of all voices in the order of the list, with built-in ones that this build lacks in their places. */
  readonly ids: readonly string[]
  /** Ids that no newly installed voice may have. */
  readonly reservedIds: readonly string[]
  find(id: string): CatalogueVoice | undefined
  /**
   * Replaces the installed voices by those of `packs`, in that order. An installed voice that got its id before a built-in
   * voice had it keeps the id; the built-in one is then left out.
   */
  install(packs: readonly VoicePack[]): void
  /** Returns the demo sentence of clones in that language (BCP 47), English where there is none. */
  cloneDemo(language: string): string
  /**
   * Returns the fallback voice that reads the script (ISO 15924) in place of `voice`, of the same gender if possible. A
   * voice of unknown gender has female fallback voices, because most models of one speaker are female.
   */
  fallbackVoiceFor(voice: Pick<VoiceSpec, 'gender'>, script: string): VoiceSpec
}

type ManifestVoice = {
  id: string
  gender: string
  language: string
  engine: string
  sample_rate: number
  settings: EngineSettings
  adaptation?: Adaptation
}

/**
 * `remembered`: ids of the built-in voices in the order of the data directory; new voices join it at its end. `assets`:
 * those of this build, null for none; replaced in tests.
 */
export function readCatalogue(
  remembered: readonly string[] = [],
  assets: Pick<Assets, 'version'> | null = findBuiltIn() ?? null,
): Catalogue {
  const available = byOwnId(readBuiltIn(assets))
  const builtInIds = [...new Set([...remembered, ...available.keys()])]
  const builtIn = builtInIds.flatMap((id) => available.get(id) ?? [])
  const anyone = byOwnId<VoiceSpec>([...builtIn, ...manifest.fallbackVoices.map(specOf)])
  const cloneDemos: Record<string, string> = manifest.cloneDemos
  const fallbacks: Record<string, string | Record<Gender, string>> = manifest.fallbacks
  const cloneDemo = (language: string) => cloneDemos[baseLanguage(language)] ?? cloneDemos.en!
  let ids: readonly string[] = builtInIds
  let voices: readonly CatalogueVoice[] = builtIn
  let byId = byOwnId(voices)
  return {
    get voices() {
      return voices
    },
    builtIn,
    builtInIds,
    get ids() {
      return ids
    },
    reservedIds: [...manifest.voices, ...manifest.fallbackVoices].map(({ id }) => id),
    find: (id) => byId.get(id),
    install(packs) {
      const installed = byOwnId(packs.flatMap((pack) => installedVoices(pack, cloneDemo)))
      ids = [...builtInIds.filter((id) => !installed.has(id)), ...installed.keys()]
      voices = [...builtIn.filter(({ id }) => !installed.has(id)), ...installed.values()]
      byId = byOwnId(voices)
    },
    cloneDemo,
    fallbackVoiceFor(voice, script) {
      const fallback = fallbacks[script] ?? fallbacks.any!
      return anyone.get(typeof fallback === 'string' ? fallback : fallback[voice.gender ?? 'female'])!
    },
  }
}

const byOwnId = <Voice extends VoiceSpec>(list: readonly Voice[]) => new Map(list.map((voice) => [voice.id, voice]))

/** The built-in voices of this build, in the order of the manifest. */
function readBuiltIn(assets: Pick<Assets, 'version'> | null): BuiltInVoice[] {
  return manifest.voices
    .filter(({ engine }) => engine !== 'hibari' || assets !== null)
    .map((entry) => ({
      ...specOf(entry),
      displayName: entry.display_name,
      description: 'description' in entry ? (entry.description as string) : null,
      demo: entry.demo,
      deterministic: true,
      ...(entry.engine === 'hibari' && { assetVersion: assets!.version }),
    }))
}

function installedVoices(
  { family, model, sampleRate, deterministic, batches, voices }: VoicePack,
  demoOf: (language: string) => string,
): CatalogueVoice[] {
  if (family === 'converter') return []
  return voices.map(({ id, displayName, description, language, gender, settings }) => ({
    ...{ id, displayName, description, language, gender, settings },
    ...{ engine: family, model, sampleRate, deterministic, ...(batches && { batches }) },
    demo: demoOf(language),
  }))
}

function specOf({ id, gender, language, engine, sample_rate, settings, adaptation }: ManifestVoice) {
  return {
    id,
    gender: gender as Gender,
    language,
    engine: engine as BuiltInVoice['engine'],
    sampleRate: sample_rate,
    settings,
    ...(adaptation && { adaptation }),
  }
}

/**
 * Returns the name of a voice's demo file. The name changes with every input of the sound, so clients may cache the
 * file for ever. `renderingVersion` stands for the code.
 */
export function demoName(voice: CatalogueVoice, mp3SampleRate: number | undefined): string {
  const { engine, language, settings, demo, adaptation, model, assetVersion } = voice
  const made = [renderingVersion, engine, language, settings, demo, mp3SampleRate]
  const version = model?.version ?? assetVersion
  const recipe = JSON.stringify([...made, ...(adaptation ? [adaptation] : []), ...(version ? [version] : [])])
  return `demos/${voice.id}-${sha256Hex(recipe).slice(0, 16)}.mp3`
}

/** As `demoName`, for a clone. The name cannot be guessed without the profile. */
export function cloneDemoName(id: string, profile: string, mp3SampleRate: number | undefined): string {
  const recipe = JSON.stringify([renderingVersion, id, profile, mp3SampleRate])
  return `demos/${id}-${sha256Hex(recipe).slice(0, 32)}.mp3`
}

/** Raise it when a change makes the same text and voice sound different. */
const renderingVersion = 1
