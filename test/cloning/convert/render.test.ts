import { describe, expect, it } from 'bun:test'
import { startDeadline } from '../../../src/deadline'
import { createAdmission } from '../../../src/workers/admission'
import type { VoiceSpec } from '../../../src/speech/voice'
import { priorOf } from '../../../src/workers/measures'
import type { Scheduler } from '../../../src/workers/scheduler'
import type { SynthesizeTask } from '../../../src/workers/protocol'
import { render } from '../../../src/speak/render'
import { createSpeeds } from '../../../src/workers/speeds'

const base: VoiceSpec = { id: 'v', engine: 'flite', language: 'en-US', sampleRate: 16_000, settings: { voice: 'v' } }
const model = { directory: '/voices/c', graph: 'g.onnx', version: '1', memoryBytes: 1 }
const conversion: VoiceSpec['conversion'] = { model, to: [] }
const long = `${Array.from({ length: 40 }, () => 'and then we went on').join(', ')}.`
const hanzi = `${Array.from({ length: 40 }, () => '我们一起去公园散步').join('，')}。`

/** The texts that a worker gets. */
async function textsOf(voice: VoiceSpec, text: string): Promise<string[]> {
  const tasks: SynthesizeTask[] = []
  const job = {
    ...{ begun: true, begunAtMs: 0, end: () => undefined },
    synthesize: async (task: SynthesizeTask) => {
      tasks.push(task)
      return { chunks: [new Int16Array(100)], words: undefined }
    },
  }
  const scheduler = {
    ...{ closed: false, openJob: () => job, readiness: () => ({ readyAtMs: 0, lane: undefined }) },
    ...{ speeds: createSpeeds(priorOf), admission: createAdmission({ workers: 1, placesMax: 1, horizonMs: 60_000 }) },
  } as unknown as Scheduler
  const request = {
    ...{ text, voice, fallbackVoiceFor: () => voice, speed: 1, mp3SampleRate: undefined },
    ...({ format: 'wav', queueKey: 'key', deadline: startDeadline(600_000) } as const),
  }
  await render(scheduler, request, { write: async () => undefined })
  return tasks.map((task) => task.text)
}

const longest = (texts: string[]) => Math.max(...texts.map(({ length }) => length))

describe('the texts of a converted voice', () => {
  it('last about fifteen seconds at most, in words and in syllables, and are complete', async () => {
    const plain = await textsOf(base, long)
    const converted = await textsOf({ ...base, conversion }, long)
    expect(longest(plain)).toBeWithin(200, 301)
    expect(longest(converted)).toBeWithin(100, 161)
    expect(converted.join(' ').match(/then/g)).toHaveLength(40)
    const mandarin: VoiceSpec = { ...base, engine: 'espeak', language: 'zh-CN' }
    expect(longest(await textsOf(mandarin, hanzi))).toBeWithin(200, 301)
    const syllables = await textsOf({ ...mandarin, conversion }, hanzi)
    expect(longest(syllables)).toBeWithin(40, 61)
    expect(syllables.join('').match(/公园/g)).toHaveLength(40)
  })
})
