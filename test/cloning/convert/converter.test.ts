import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pcm } from '../../../src/audio/pcm'
import { loadConverter, type ToneConverter } from '../../../src/cloning/convert/converter'
import { spectrogram } from '../../../src/cloning/convert/spectrogram'
import { openRuntime, type Runtime } from '../../../src/speech/onnx/runtime'
import { noiseSource, speechLike } from '../../audio/signals'
import { bins, constantGraph, hop, mirrorGraph, shownBins, shownTones, writeConverterPack } from '../../onnx/converter'

const sampleRate = 22_050
const settings = { sampleRate, filterLength: 1024, hopLength: hop }
let directory: string
let runtime: Runtime
let mirror: ToneConverter
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-converter-'))
  runtime = await openRuntime({ directory, provider: 'cpu', threads: 1 })
  mirror = await loadConverter(
    await writeConverterPack(join(directory, 'mirror'), { converter: mirrorGraph() }),
    runtime,
  )
})
afterAll(() => rm(directory, { recursive: true }))

const speech = speechLike({ seconds: 2, sampleRate })
const [from, to] = [1, 2].map((seed) => {
  const noise = noiseSource(seed)
  return Float32Array.from({ length: 256 }, () => noise())
}) as [Float32Array, Float32Array]
const of = (length: number): Pcm => ({ samples: Float32Array.from({ length }, (_, i) => Math.sin(i)), sampleRate })

/** The input values that the mirror graph encodes in frame `frame`. */
function shown({ samples }: Pcm, frame: number) {
  const cells = samples.subarray(frame * hop, (frame + 1) * hop)
  const tones = shownBins + shownTones
  return {
    bins: cells.slice(0, shownBins),
    from: cells.slice(shownBins, tones),
    to: cells.slice(tones, tones + shownTones),
    tau: cells[254],
    length: cells[255],
  }
}

describe('the converter', () => {
  it('feeds the spectrogram, both speaker embeddings, tau and the length', async () => {
    const samples = speech.samples.slice(0, 100 * hop)
    const out = await mirror.convert({ samples, sampleRate }, from, to)
    const made = spectrogram(samples, settings)
    for (const frame of [0, 1, 50, 99]) {
      const found = shown(out, frame)
      expect(found.bins).toEqual(made.values.slice(frame * bins, frame * bins + shownBins))
      expect(found.from).toEqual(from.slice(0, shownTones))
      expect(found.to).toEqual(to.slice(0, shownTones))
      expect([found.tau, found.length]).toEqual([Math.fround(0.3), 100])
    }
    expect(shown(await mirror.convert({ samples, sampleRate }, from, to, 0.5), 7).tau).toBe(0.5)
  })

  it('keeps the number of samples, however few', async () => {
    for (const length of [0, 1, 100, 255, 256, 257, 384, 385, 511, 512, 513, 1000, 22_050]) {
      const out = await mirror.convert(of(length), from, to)
      expect([out.sampleRate, out.samples.length]).toEqual([sampleRate, length])
    }
  })

  it('is deterministic and does not change its input', async () => {
    const before = speech.samples.slice()
    const first = await mirror.convert(speech, from, to)
    expect((await mirror.convert(speech, from, to)).samples).toEqual(first.samples)
    expect(speech.samples).toEqual(before)
  })

  it('converts long sound in pieces with inaudible joints', async () => {
    const long = speechLike({ seconds: 27, sampleRate })
    const out = await mirror.convert(long, from, to)
    expect(out.samples.length).toBe(long.samples.length)
    const made = spectrogram(long.samples, settings)
    expect(made.frames).toBeGreaterThan(2 * 1024)
    const lengths = new Set<number>()
    let furthest = 0
    for (let frame = 0; frame < made.frames; frame++) {
      const { bins: found, length } = shown(out, frame)
      lengths.add(Math.round(length!))
      for (const [k, value] of found.entries())
        furthest = Math.max(furthest, Math.abs(value - made.values[frame * bins + k]!))
    }
    expect(furthest).toBeLessThan(1e-3)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1024 + 2 * 128)
    expect(Math.min(...lengths)).toBeGreaterThan(700)
  })

  it('extracts the speaker embedding from the spectrogram', async () => {
    const tone = await mirror.extract(speech)
    const { values, frames } = spectrogram(speech.samples, settings)
    expect(tone.length).toBe(256)
    for (const k of [0, 1, 100, 255]) {
      let sum = 0
      for (let frame = 0; frame < frames; frame++)
        sum += values[frame * bins + 2 * k]! + values[frame * bins + 2 * k + 1]!
      expect(tone[k]!).toBeCloseTo(sum / 2 / frames, 3)
    }
  })

  it('refuses sound at another rate, and a voice of less than a frame', async () => {
    const other = { samples: speech.samples, sampleRate: 16_000 }
    await expect(mirror.convert(other, from, to)).rejects.toThrow('22050 Hz')
    await expect(mirror.extract(other)).rejects.toThrow('22050 Hz')
    await expect(mirror.extract(of(100))).rejects.toBeInstanceOf(RangeError)
  })

  it('fails on numbers that are not finite, and on a wrong count of samples or numbers', async () => {
    const load = async (name: string, files: Parameters<typeof writeConverterPack>[1]) =>
      loadConverter(await writeConverterPack(join(directory, name), files), runtime)
    const broken = await load('nan', { converter: constantGraph(NaN) })
    await expect(broken.convert(speech, from, to)).rejects.toThrow('not finite')
    const coarse = await load('coarse', {
      converter: mirrorGraph(),
      configuration: { data: { sampling_rate: sampleRate, filter_length: 1024, hop_length: 512, win_length: 1024 } },
    })
    await expect(coarse.convert(speech, from, to)).rejects.toThrow('samples for')
    const swapped = await load('swapped', { extractor: mirrorGraph() })
    await expect(swapped.extract(speech)).rejects.toThrow()
  })
})
