/** The tasks of a worker that serve cloning: a voice from a recording, and the statistics of an installed voice. */
import { fromInt16, type Pcm } from '../../audio/pcm'
import { enrol, type Enrolment } from '../../cloning/adapt/enrol'
import { measureVoice, type VoiceStatistics } from '../../cloning/adapt/measure'
import { engineKey, type VoiceSpec } from '../../speech/voice'
import type { Task } from '../protocol'
import type { Engines } from './engines'

/** Throws the errors of `enrol` and `enrolConverted`. */
export async function enrolVoice(
  engines: Engines,
  { samples, sampleRate, by, ...options }: Task<'enrol'>,
): Promise<Enrolment> {
  const reference: Pcm = { samples: fromInt16(samples), sampleRate }
  if (!by.conversion) {
    const synthesize = (voice: VoiceSpec, text: string) => engines.synthesize(voice, text, 1)
    const canSpeak = (voice: VoiceSpec) => engineKey(voice) === engineKey(by)
    return enrol(reference, { ...options, synthesize, canSpeak })
  }
  const converter = await engines.converterOf(by.conversion.model)
  const { enrolConverted } = await import('../../cloning/convert/enrol')
  return enrolConverted(reference, { ...options, converter })
}

export async function measureInstalled(engines: Engines, voice: VoiceSpec): Promise<VoiceStatistics> {
  const { tuningTexts } = await import('../../speech/tuning-texts')
  return measureVoice(await engines.synthesize(voice, tuningTexts(voice.language)[0]!, 1))
}
