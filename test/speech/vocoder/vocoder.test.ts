import { beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { join } from 'node:path'
import { compileVocoder, vocoderPath } from '../../../scripts/assembly'
import { createRandom } from '../../../src/speech/random'
import { bins, hopSamples, rowLength, transformSize } from '../../../src/speech/vocoder/format'
import { loadVocoder, type Vocoder } from '../../../src/speech/vocoder/vocoder'
import { type Columns, madeUpColumns, melody, spectraOf, whiteSpectra, wideColumns } from './spectra'

// The compiler takes seconds on a busy machine.
setDefaultTimeout(60_000)

let vocoder: Vocoder
beforeAll(async () => {
  vocoder = await loadVocoder()
})

/** The largest difference, in dB relative to the peak of `expected`. */
function differenceDb(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(found.length).toBe(expected.length)
  const [difference, peak] = [Math.max, Math.max].map((most, kind) =>
    Array.from(expected, (value, i) => Math.abs(kind === 0 ? found[i]! - value : value)).reduce(
      (a, b) => most(a, b),
      0,
    ),
  ) as [number, number]
  return 20 * Math.log10(difference / peak)
}

describe('the compiled inner loop', () => {
  it('is what the sources give', async () => {
    expect(await Bun.file(vocoderPath).bytes()).toEqual(new Uint8Array(await compileVocoder()))
  })

  it('is missed with the reason where Bun has no vector instructions for WebAssembly', () => {
    const code = `import { loadVocoder } from ${JSON.stringify(join(vocoderPath, '../vocoder.ts'))}; await loadVocoder()`
    const environment = { ...process.env, BUN_JSC_useWasmSIMD: '0' }
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', code], { env: environment })
    expect(exitCode).toBe(1)
    expect(stderr.toString()).toContain('voices of Hibari need vector instructions for WebAssembly')
  })
})

describe('the pulse train', () => {
  type Assembly = {
    readonly memory: WebAssembly.Memory
    readonly pulses: WebAssembly.Global
    begin(): void
    writePulses(beforeHz: number, hereHz: number, afterHz: number): void
  }
  let assembly: Assembly
  beforeAll(async () => {
    const module = await WebAssembly.compile(await Bun.file(vocoderPath).arrayBuffer())
    assembly = new WebAssembly.Instance(module).exports as Assembly
  })

  function pulsesOf(f0: readonly number[]): Float32Array {
    const samples = new Float32Array(f0.length * hopSamples)
    const frame = new Float32Array(assembly.memory.buffer, assembly.pulses.value as number, hopSamples)
    assembly.begin()
    for (const [at, hz] of f0.entries()) {
      assembly.writePulses(f0[at - 1] ?? hz, hz, f0[at + 1] ?? hz)
      samples.set(frame, at * hopSamples)
    }
    return samples
  }

  it('is the sum of all harmonics, also in the middle of a pulse', () => {
    // Periods of whole samples reach the middle of a pulse; the others come near it.
    for (const hz of [40.1, 41, 60, 123.4, 200, 333.3, 480, 5600]) {
      const count = Math.floor(11_000 / hz)
      const samples = pulsesOf(Array(4).fill(hz))
      for (const [i, found] of samples.entries()) {
        const turns = ((i + 1) * hz) / 24_000
        let sum = 0
        for (let harmonic = 1; harmonic <= count; harmonic++) sum += Math.cos(2 * Math.PI * harmonic * turns)
        // Near a pulse the limit takes the place of the closed form, whose sines have errors of 32-bit numbers.
        const denominator = Math.abs(2 * Math.sin(Math.PI * turns))
        const tolerance = denominator <= 2e-3 ? (count + 1) ** 3 * 7e-7 : 2 ** -21 * (1 + 1 / denominator)
        if (!(Math.abs(found - sum) < tolerance)) expect([hz, i, found]).toEqual([hz, i, sum])
      }
    }
  })

  it('has a pulse per period, and none where the voice is off', () => {
    const samples = pulsesOf([0, 0, ...Array(80).fill(200), 0, 0])
    expect(samples.subarray(0, hopSamples).every((value) => value === 0)).toBe(true)
    expect(samples.subarray(-hopSamples).every((value) => value === 0)).toBe(true)
    const steady = samples.subarray(10 * hopSamples, 70 * hopSamples)
    // 55 harmonics up to 11 kHz; a period has 120 samples.
    expect(Math.max(...steady)).toBeWithin(50, 55.001)
    const peaks = [...steady.keys()].filter((i) => steady[i]! > 40)
    expect(peaks.every((at) => at % 120 === peaks[0]! % 120)).toBe(true)
    expect(peaks).toHaveLength(steady.length / 120)
  })

  it('is silent for frequencies that are negative or not numbers', () => {
    for (const f0 of [
      [-200, NaN, 39],
      [NaN, -200, 39, NaN],
      [200, NaN, 200],
    ])
      expect(
        pulsesOf(f0)
          .subarray(hopSamples, 2 * hopSamples)
          .every((value) => value === 0),
      ).toBe(true)
  })
})

describe('the vocoder', () => {
  it('gives the sound of the Python package, within -110 dB of its peak', async () => {
    const bytes = Bun.zstdDecompressSync(await Bun.file(join(import.meta.dir, 'table.f32.zst')).bytes())
    const expected = new Float32Array(bytes.slice().buffer)
    expect(differenceDb(vocoder(spectraOf(madeUpColumns(melody))), expected)).toBeLessThan(-110)
  })

  it.each([1, 2, 3, 4, 5, 9])('gives the defining sums for %i frames', (frames) => {
    const f0 = Array.from({ length: frames }, (_, i) => (i % 5 === 3 ? 0 : 150 + 10 * i))
    for (const columns of [madeUpColumns(f0), wideColumns(f0), wideColumns(f0.map(() => 0))])
      expect(differenceDb(vocoder(spectraOf(columns)), definingSums(columns))).toBeLessThan(-110)
  })

  it('gives white noise the same level at both ends and in between', () => {
    const samples = vocoder(whiteSpectra(800))
    const level = (from: number, to: number) =>
      samples.subarray(from, to).reduce((sum, value) => sum + value * value, 0) / (to - from)
    // Each of 601 bins, of which 599 count twice, gives its variance over the square of the size; windows overlap.
    const expected = (2 + 4 * 599) / transformSize ** 2 / 1.5
    expect(level(0, samples.length) / expected).toBeWithin(0.98, 1.02)
    expect(level(600, samples.length - 600) / expected).toBeWithin(0.98, 1.02)
  })

  it('gives the same samples every time', () => {
    expect(vocoder(whiteSpectra(20))).toEqual(vocoder(whiteSpectra(20)))
  })

  it('limits gains, and passes on what is not finite', () => {
    const loud = (gain: number) =>
      vocoder(spectraOf({ ...madeUpColumns(melody), harmonicGain: new Float32Array(bins * 20).fill(gain) }))
    expect(loud(100)).toEqual(loud(7))
    const { rows, f0 } = spectraOf(madeUpColumns(melody))
    for (const bad of [NaN, Infinity])
      for (let part = 0; part < rowLength; part += bins)
        for (const frame of [4, 19]) {
          const broken = rows.slice()
          broken[frame * rowLength + part + 300] = bad
          // An infinite gain or angle of the filter is limited like other large ones.
          const isLimited = bad === Infinity && part < 4 * bins
          expect(vocoder({ rows: broken, f0 }).every(Number.isFinite)).toBe(isLimited)
        }
  })
})

/** The same by definition, with sums instead of fast transforms. */
function definingSums(columns: Columns): Float64Array {
  const { harmonicGain, harmonicPhase, noiseGain, freeGain, freePhase, f0 } = columns
  const frames = f0.length
  const length = frames * hopSamples
  const half = transformSize / 2
  const pulses = definingPulses(f0)
  const noise = noiseOf(frames)
  const window = Float64Array.from({ length: transformSize }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / 1200))
  const cosines = Float64Array.from({ length: transformSize }, (_, i) => Math.cos((2 * Math.PI * i) / transformSize))
  const cos = (turns: number) => cosines[((turns % transformSize) + transformSize) % transformSize]!
  const sin = (turns: number) => cos(turns - transformSize / 4)
  const reflected = (at: number): number => {
    if (at < 0) return reflected(-at)
    return at < length ? pulses[at]! : reflected(2 * (length - 1) - at)
  }
  const [sound, weights] = [new Float64Array(length), new Float64Array(length)]
  for (let frame = 0; frame < frames; frame++) {
    const start = frame * hopSamples - half
    const source = window.map((weight, i) => (weight / hopSamples) * reflected(start + i))
    const out = new Float64Array(transformSize)
    for (let bin = 0; bin < bins; bin++) {
      let [re, im] = [0, 0]
      for (let i = 0; i < transformSize; i++) {
        re += source[i]! * cos(bin * i)
        im -= source[i]! * sin(bin * i)
      }
      const at = bin * frames + frame
      const gain = Math.exp(Math.min(harmonicGain[at]!, 7))
      const angle = Math.PI * Math.tanh(harmonicPhase[at]!)
      const free = Math.exp(Math.min(freeGain[at]!, 7))
      const [noiseRe, noiseIm] = noise[frame * bins + bin]!.map((part) => part * Math.exp(Math.min(noiseGain[at]!, 7)))
      const real = gain * (re * Math.cos(angle) - im * Math.sin(angle)) + noiseRe! + free * Math.cos(freePhase[at]!)
      const imaginary =
        gain * (re * Math.sin(angle) + im * Math.cos(angle)) + noiseIm! + free * Math.sin(freePhase[at]!)
      const isEdge = bin === 0 || bin === bins - 1
      for (let i = 0; i < transformSize; i++)
        out[i]! += ((isEdge ? 1 : 2) * (real * cos(bin * i) - (isEdge ? 0 : imaginary * sin(bin * i)))) / transformSize
    }
    for (let i = 0; i < transformSize; i++) {
      if (start + i < 0 || start + i >= length) continue
      sound[start + i]! += out[i]! * window[i]!
      weights[start + i]! += window[i]! ** 2
    }
  }
  return sound.map((value, i) => value / Math.max(weights[i]!, 1e-11))
}

function definingPulses(f0: Float32Array): Float64Array {
  const pulses = new Float64Array(f0.length * hopSamples)
  let turns = 0
  for (let i = 0; i < pulses.length; i++) {
    const frame = Math.floor(i / hopSamples)
    const place = ((i % hopSamples) + 0.5) / hopSamples - 0.5
    const [here, other] = [f0[frame]!, f0[frame + Math.sign(place)] ?? f0[frame]!]
    const hz = here + Math.abs(place) * (other - here)
    turns += Math.max(40, hz) / 24_000
    const count = hz > 40 ? Math.floor(11_000 / hz) : 0
    // As in the Python package, the middle of a pulse has its limit.
    if (Math.abs(2 * Math.sin(Math.PI * turns)) <= 2e-3) pulses[i] = count
    else for (let harmonic = 1; harmonic <= count; harmonic++) pulses[i]! += Math.cos(2 * Math.PI * harmonic * turns)
  }
  return pulses
}

/** Pairs of unit variance per component: one of 4096 radii in one of 4096 directions, for each bin of each frame. */
function noiseOf(frames: number): number[][] {
  const radii = Array.from({ length: 4096 }, (_, i) => Math.sqrt(-2 * Math.log((i + 0.5) / 4096)))
  const scale = Math.sqrt(2 / (radii.reduce((sum, radius) => sum + radius ** 2, 0) / 4096))
  const random = createRandom()
  return Array.from({ length: frames * bins }, () => {
    const bits = random()
    const [radius, angle] = [scale * radii[bits >>> 20]!, (2 * Math.PI * ((bits >>> 8) & 4095)) / 4096]
    return [radius * Math.cos(angle), radius * Math.sin(angle)]
  })
}
