/** The voice of requests without `voice_id` by accounts without a plan, and why it is that one; for operators. */
import type { Catalogue } from './catalogue'
import type { Plans, VoiceSettings } from './plans'

export type DefaultVoice = {
  /** null: no voice is active and public. */
  readonly id: string | null
  /** Whether this build contains it. Requests without `voice_id` fail if not. */
  readonly available: boolean
  readonly reason: string
}

/** First in new data directories, in builds that contain it. */
const neuralId = 'en-heart'

type Choice = Pick<Plans, 'defaultIdFor'> & {
  settingsOf(voiceId: string): Pick<VoiceSettings, 'featured' | 'active' | 'public'>
}

export function explainDefault(catalogue: Catalogue, plans: Choice): DefaultVoice {
  const id = plans.defaultIdFor(null)
  if (id === undefined) return { id: null, available: false, reason: 'no voice is active and public' }
  if (catalogue.find(id)) return { id, available: true, reason: reasonFor(id, catalogue, plans) }
  const reason =
    'this build does not contain the default voice of this data directory, and no other voice takes its place: ' +
    'run a build with it, or feature another voice (sonant voices update ID --featured true)'
  return { id, available: false, reason }
}

function reasonFor(id: string, catalogue: Catalogue, { settingsOf }: Choice): string {
  if (settingsOf(id).featured) return 'an administrator featured it'
  if (id === neuralId) return 'it is the first voice of this data directory'
  if (!catalogue.find(neuralId))
    return `this build does not contain ${neuralId}; build it on a machine that can fetch the voice (README.md)`
  const { active, public: isPublic } = settingsOf(neuralId)
  if (!active || !isPublic) return `it is the first public voice; an administrator removed ${neuralId} from that list`
  return `this data directory keeps its order from before ${neuralId}; sonant voices update ${neuralId} --featured true makes that one the default`
}
