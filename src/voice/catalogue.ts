/**
 * The built-in voices, in the order of the list; the first one is the default. Their manifests are in
 * `voices/catalogue.json`, embedded in the executable. Some voices are not listed: they only stand in for scripts that
 * no listed voice can read.
 */
import manifest from '../../voices/catalogue.json'

export type Gender = 'female' | 'male'

/** A voice without its public face; the same shape as `VoiceSpec` of the speech room, which this room may not import. */
export type BareVoice = {
  readonly id: string
  readonly gender: Gender
  /** BCP 47. */
  readonly language: string
  readonly engine: 'flite' | 'espeak'
  /** Hz. */
  readonly sampleRate: number
  readonly settings: {
    readonly voice: string
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
}

export type CatalogueVoice = BareVoice & {
  readonly displayName: string
  readonly description: string | null
  /** A sentence in the voice's language. */
  readonly demo: string
}

export type Catalogue = {
  readonly voices: readonly CatalogueVoice[]
  find(id: string): CatalogueVoice | undefined
  /** What a clone that speaks that language (BCP 47) says in its demo. */
  cloneDemo(language: string): string
  /** Who speaks what `voice` cannot: the companion for that script (ISO 15924), of the same gender where there is one. */
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
  const voices = manifest.voices.map((entry) => ({
    ...bareVoice(entry),
    displayName: entry.display_name,
    description: 'description' in entry ? (entry.description as string) : null,
    demo: entry.demo,
  }))
  const byId = new Map<string, CatalogueVoice>(voices.map((voice) => [voice.id, voice]))
  const companionVoices = manifest.companionVoices.map(bareVoice)
  const anyone = new Map<string, BareVoice>([...byId, ...companionVoices.map((voice) => [voice.id, voice] as const)])
  const cloneDemos: Record<string, string> = manifest.cloneDemos
  const companions: Record<string, string | Record<Gender, string>> = manifest.companions
  return {
    voices,
    find: (id) => byId.get(id),
    cloneDemo: (language) => cloneDemos[language.split('-')[0]!] ?? cloneDemos.en!,
    companionFor(voice, script) {
      const companion = companions[script] ?? companions.any!
      return anyone.get(typeof companion === 'string' ? companion : companion[voice.gender])!
    },
  }
}

function bareVoice({ id, gender, language, engine, sample_rate, settings, adaptation }: BareManifest): BareVoice {
  return {
    id,
    gender: gender as Gender,
    language,
    engine: engine as BareVoice['engine'],
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
  const { engine, language, settings, demo, adaptation } = voice
  const made = [renderingVersion, engine, language, settings, demo, mp3SampleRate]
  const recipe = JSON.stringify(adaptation ? [...made, adaptation] : made)
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
