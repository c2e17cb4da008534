/**
 * The voices, in the order of the list; the first one is the default. The built-in ones come first: their manifests are
 * in `voices/catalogue.json`, embedded in the executable. Those of installed packs join at the end, and may come and go
 * while the server runs. Some voices are not listed: they only stand in for scripts that no listed voice can read.
 */
import manifest from '../../voices/catalogue.json'

export type Gender = 'female' | 'male'

/** A voice without its public face; the same shape as `VoiceSpec` of the speech room, which this room may not import. */
export type BareVoice = {
  readonly id: string
  /** null where nobody knows. */
  readonly gender: Gender | null
  /** BCP 47. */
  readonly language: string
  readonly engine: 'flite' | 'espeak' | NeuralEngine
  /** Hz. */
  readonly sampleRate: number
  readonly settings: {
    readonly voice: string
    readonly speaker?: number
    readonly pitchHz?: number
    readonly pitch?: number
    readonly pitchRange?: number
    readonly wordsPerMinute?: number
  }
  /** What makes another voice of what the engine says. A voice with one is nobody's base: a clone adapts the engine's own. */
  readonly adaptation?: {
    readonly pitch: { readonly fromHz: number; readonly toHz: number; readonly spread: number }
    readonly tractRatio: number
    readonly voicedDb: readonly number[]
    readonly unvoicedDb: readonly number[]
    readonly harmonicityDb: number | null
  }
  /** Of an installed voice. */
  readonly model?: {
    readonly directory: string
    readonly graph: string
    readonly version: string
    readonly fingerprint?: string
    readonly memoryBytes: number
  }
}

type NeuralEngine = 'piper' | 'kokoro' | 'kitten' | 'vits'

export type CatalogueVoice = BareVoice & {
  readonly displayName: string
  readonly description: string | null
  /** A sentence in the voice's language. */
  readonly demo: string
  /** Whether the same request gives the same bytes. */
  readonly deterministic: boolean
}

export type BuiltInVoice = CatalogueVoice & { readonly engine: 'flite' | 'espeak'; readonly gender: Gender }

/** An installed pack, as far as it brings voices; the same shape as `Pack` of the speech room. Their ids are unique. */
export type VoicePack = {
  readonly family: NeuralEngine | 'converter'
  readonly model: NonNullable<BareVoice['model']>
  /** Hz. */
  readonly sampleRate: number
  readonly deterministic: boolean
  readonly batches: boolean
  readonly voices: readonly (Pick<CatalogueVoice, 'id' | 'displayName' | 'description'> &
    Pick<BareVoice, 'language' | 'gender' | 'settings'>)[]
}

export type Catalogue = {
  /** Another array after every `install`. */
  readonly voices: readonly CatalogueVoice[]
  readonly builtIn: readonly BuiltInVoice[]
  /** Ids that no installed voice may have. */
  readonly reservedIds: readonly string[]
  find(id: string): CatalogueVoice | undefined
  /** Takes the voices of `packs` for those that are installed, in that order; all others are gone. */
  install(packs: readonly VoicePack[]): void
  /** What a clone that speaks that language (BCP 47) says in its demo. */
  cloneDemo(language: string): string
  /**
   * Who speaks what `voice` cannot: the companion for that script (ISO 15924), of the same gender where there is one.
   * A voice of unknown gender has female companions, as most models of one speaker are.
   */
  companionFor(voice: BareVoice, script: string): BareVoice
}

type BareManifest = {
  id: string
  gender: string
  language: string
  engine: string
  sample_rate: number
  settings: BareVoice['settings']
  adaptation?: BareVoice['adaptation']
}

export function readCatalogue(): Catalogue {
  const builtIn = manifest.voices.map((entry) => ({
    ...bareVoice(entry),
    displayName: entry.display_name,
    description: 'description' in entry ? (entry.description as string) : null,
    demo: entry.demo,
    deterministic: true,
  }))
  const byOwnId = <Voice extends BareVoice>(list: readonly Voice[]) => new Map(list.map((voice) => [voice.id, voice]))
  const anyone = byOwnId<BareVoice>([...builtIn, ...manifest.companionVoices.map(bareVoice)])
  const cloneDemos: Record<string, string> = manifest.cloneDemos
  const companions: Record<string, string | Record<Gender, string>> = manifest.companions
  const cloneDemo = (language: string) => cloneDemos[language.split('-')[0]!] ?? cloneDemos.en!
  let voices: readonly CatalogueVoice[] = builtIn
  let byId = byOwnId(voices)
  return {
    get voices() {
      return voices
    },
    builtIn,
    reservedIds: [...anyone.keys()],
    find: (id) => byId.get(id),
    install(packs) {
      voices = [...builtIn, ...packs.flatMap((pack) => installedVoices(pack, cloneDemo))]
      byId = byOwnId(voices)
    },
    cloneDemo,
    companionFor(voice, script) {
      const companion = companions[script] ?? companions.any!
      return anyone.get(typeof companion === 'string' ? companion : companion[voice.gender ?? 'female'])!
    },
  }
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

function bareVoice({ id, gender, language, engine, sample_rate, settings, adaptation }: BareManifest) {
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
 * The name of a voice's demo file. It changes with everything that the sound is made from, so the file can be cached
 * for ever; `renderingVersion` stands for the code.
 */
export function demoName(voice: CatalogueVoice, mp3SampleRate: number | undefined): string {
  const { engine, language, settings, demo, adaptation, model } = voice
  const made = [renderingVersion, engine, language, settings, demo, mp3SampleRate]
  const recipe = JSON.stringify([...made, ...(adaptation ? [adaptation] : []), ...(model ? [model.version] : [])])
  return `demos/${voice.id}-${new Bun.CryptoHasher('sha256').update(recipe).digest('hex').slice(0, 16)}.mp3`
}

/** As `demoName`; nobody who does not know the profile can guess it. */
export function cloneDemoName(id: string, profile: string, mp3SampleRate: number | undefined): string {
  const recipe = JSON.stringify([renderingVersion, id, profile, mp3SampleRate])
  const hash = new Bun.CryptoHasher('sha256').update(recipe).digest('hex')
  return `demos/${id}-${hash.slice(0, 32)}.mp3`
}

/** To be raised when the same text and voice come to sound different. */
const renderingVersion = 1
