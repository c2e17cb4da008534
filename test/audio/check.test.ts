import { describe, expect, it } from 'bun:test'
import { findFault } from '../../src/audio/check'
import { noiseSource, speechLike, tone } from './signals'

const sampleRate = 22_050
const speech = speechLike({ seconds: 3, sampleRate })

function changed(change: (samples: Float32Array) => void) {
  const samples = speech.samples.slice()
  change(samples)
  return { samples, sampleRate }
}

describe('findFault', () => {
  it('finds nothing wrong with speech of a likely length', () => {
    for (const letters of [3, 10, 45, 120, 240]) expect(findFault(speech, { letters, language: 'en-US' })).toBeNull()
    expect(findFault(speech, { letters: 12, language: 'zh-CN' })).toBeNull()
    expect(findFault(speech, { letters: 2, language: 'ja' })).toBeNull()
  })

  it('finds missing sound', () => {
    expect(findFault({ samples: new Float32Array(0), sampleRate }, { letters: 4, language: 'en-US' })).toContain(
      'no samples',
    )
    expect(findFault({ samples: new Float32Array(20_000), sampleRate }, { letters: 4, language: 'en-US' })).toContain(
      'silence',
    )
    const noise = noiseSource(1)
    const faint = Float32Array.from({ length: 20_000 }, () => 0.001 * noise())
    expect(findFault({ samples: faint, sampleRate }, { letters: 4, language: 'en-US' })).toContain('silence')
    const oneClick = new Float32Array(60_000)
    oneClick[30_000] = 0.1
    expect(findFault({ samples: oneClick, sampleRate }, { letters: 20, language: 'en-US' })).toContain('silence')
  })

  it('accepts silence for a text without letters', () => {
    for (const length of [0, 1, 100, 20_000]) {
      expect(findFault({ samples: new Float32Array(length), sampleRate }, { letters: 0, language: 'en-US' })).toBeNull()
    }
  })

  it.each([NaN, Infinity, -Infinity])('finds a single %p', (value) => {
    const broken = changed((samples) => samples.fill(value, 31_000, 31_001))
    expect(findFault(broken, { letters: 40, language: 'en-US' })).toContain('not finite')
    expect(findFault(broken, { letters: 0, language: 'en-US' })).toContain('not finite')
  })

  it('finds speech that is too short or too long', () => {
    expect(findFault(speech, { letters: 300, language: 'en-US' })).toContain('too short')
    const long = speechLike({ seconds: 30, sampleRate })
    expect(findFault(long, { letters: 20, language: 'en-US' })).toContain('too long')
    expect(findFault(long, { letters: 40, language: 'ko' })).toBeNull()
    expect(findFault(long, { letters: 0, language: 'en-US' })).toContain('too long')
  })

  it('finds audible clipping', () => {
    expect(
      findFault(
        changed((samples) => samples.fill(1, 30_000, 30_060)),
        { letters: 40, language: 'en-US' },
      ),
    ).toContain('in a row')
    const square = Float32Array.from({ length: 66_000 }, (_, i) => (Math.floor(i / 20) % 2 ? 1 : -1))
    expect(findFault({ samples: square, sampleRate }, { letters: 40, language: 'en-US' })).toContain('clipped')
  })

  it('accepts single clipped peaks and a loud tone', () => {
    expect(
      findFault(
        changed((samples) => samples.fill(1, 30_000, 30_004)),
        { letters: 40, language: 'en-US' },
      ),
    ).toBeNull()
    expect(
      findFault(tone({ hz: 180, seconds: 3, sampleRate, amplitude: 1 }), { letters: 40, language: 'en-US' }),
    ).toBeNull()
  })
})
