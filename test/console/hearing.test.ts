/** The faults of a recording that the clone page hears before it is paid for. */
import { describe, expect, it } from 'bun:test'
import { checkReference } from '../../src/audio/reference'
import { hearFaults } from '../../src/console/pages/clone/hearing'
import { amplified, readSpeakers, speakersFolder } from '../audio/recordings'
import { describeWith } from '../tools'

const sampleRate = 16_000

/** Of tones that never meet at their peaks, as those of a voice hardly do. */
const tonesHz = [131, 277, 419, 613, 997, 1451]

/** Syllables: loud for a fifth of a second, then quiet for a tenth. */
const talk = (seconds: number, loudness: number) =>
  Float32Array.from({ length: seconds * sampleRate }, (_, i) => {
    const time = i / sampleRate
    const level = time % 0.3 < 0.2 ? loudness : loudness / 100
    return tonesHz.reduce((sum, hz) => sum + (level / tonesHz.length) * Math.sin(2 * Math.PI * hz * time), 0)
  })

describe('the clone page', () => {
  it('has nothing to say about clear talk', () => {
    expect(hearFaults(talk(10, 0.5), sampleRate)).toEqual([])
  })

  it('hears that there is little talk, and does not count the silence around it', () => {
    const around = new Float32Array(20 * sampleRate)
    around.set(talk(3, 0.5), 8 * sampleRate)
    expect(hearFaults(talk(3, 0.5), sampleRate)).toEqual(['short'])
    expect(hearFaults(around, sampleRate)).toEqual(['short'])
  })

  it('hears talk that is quiet, and talk whose peaks are cut off', () => {
    expect(hearFaults(talk(10, 0.005), sampleRate)).toEqual(['quiet'])
    const clipped = talk(10, 4).map((value) => Math.max(-1, Math.min(1, value)))
    expect(hearFaults(clipped, sampleRate)).toEqual(['clipped'])
  })

  it('can hear a recording without a sample', () => {
    expect(hearFaults(new Float32Array(0), sampleRate)).toEqual(['short', 'quiet'])
  })
})

describeWith(['ffmpeg', speakersFolder], 'the clone page, with real speakers', () => {
  it('says what the service would warn of', () => {
    const says = new Set<string>(['short', 'quiet', 'clipped'])
    for (const { name, pcm } of readSpeakers()) {
      const clipped = { ...pcm, samples: pcm.samples.map((value) => Math.max(-0.35, Math.min(0.35, 2 * value))) }
      for (const sound of [pcm, amplified(pcm, -30), clipped]) {
        const warned = checkReference(sound).warnings.map(({ code }) => code)
        expect([name, hearFaults(sound.samples, sound.sampleRate)]).toEqual([
          name,
          warned.filter((code) => says.has(code)) as never,
        ])
      }
    }
  })
})
