/** Decodes every malformed file of the given format and prints a line of JSON for each. */
import { decode } from '../../../src/audio/decode/decode'
import { malformed } from './malformed'
import { limits } from './recordings'

const secondsMax = 30

for (const [name, bytes] of malformed[process.argv[2]!]!()) {
  const before = process.cpuUsage()
  let outcome: string
  try {
    const { pcm } = await decode(bytes, { ...limits, secondsMax, timeoutMs: 2000 })
    outcome = 'decoded'
    if (pcm.samples.length > secondsMax * pcm.sampleRate) outcome = `${pcm.samples.length} samples`
    if (pcm.samples.some((value) => !(Math.abs(value) <= 1))) outcome = 'samples beyond full scale'
  } catch (error) {
    const { name: kind, code } = error as { name?: string; code?: string }
    outcome = kind === 'BadAudio' ? code! : `threw ${error}`
  }
  const { user, system } = process.cpuUsage(before)
  const cpuSeconds = (user + system) / 1e6
  console.log(JSON.stringify({ name, outcome, cpuSeconds, rssMb: process.memoryUsage.rss() / 1e6 }))
}
