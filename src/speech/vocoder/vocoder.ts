/**
 * The vocoder: sound from the spectra of a neural model. A pulse train with the model's fundamental frequency is filtered
 * frame by frame, shaped noise and a part with phases of its own are added, and the inverse short-time Fourier transform
 * makes samples of them. The inner loop is WebAssembly (`assembly/`).
 */
import { hannWindow } from '../../audio/analysis/hann'
import { hopSamples, rowLength, transformSize } from './format'
import wasmPath from './vocoder.wasm' with { type: 'file' }

export type Spectra = {
  /** A row of `rowLength` numbers for each frame. */
  readonly rows: Float32Array
  /** Fundamental frequency in Hz, 0 where unvoiced. One value per frame. */
  readonly f0: Float32Array
}

/**
 * Returns mono samples at `vocoderRate`, `hopSamples` for each frame; equal spectra give equal samples. Values that are
 * not finite give samples that are not finite.
 */
export type Vocoder = (spectra: Spectra) => Float32Array

/** The exports of `assembly/vocoder.ts`. Globals are addresses. */
type Assembly = {
  readonly memory: WebAssembly.Memory
  readonly circle: WebAssembly.Global
  readonly directions: WebAssembly.Global
  readonly radii: WebAssembly.Global
  readonly rows: WebAssembly.Global
  readonly source: WebAssembly.Global
  readonly pulses: WebAssembly.Global
  readonly sound: WebAssembly.Global
  prepare(): void
  begin(): void
  writePulses(beforeHz: number, hereHz: number, afterHz: number): void
  addGroup(): void
  advance(): void
}

const half = transformSize / 2
const groupFrames = 4
const groupHops = groupFrames * hopSamples
/** Samples under the windows of a group. */
const groupSamples = transformSize + groupHops - hopSamples
const overlap = transformSize / hopSamples
const window = hannWindow(transformSize)
/** Sum of the squared windows that overlap at a sample, away from both ends. */
const fullOverlap = 1.5
/** Radii and directions of the noise. */
const noiseSteps = 4096
/** Makes every part silent: gains are logarithms. */
const silence = -1000

/** Throws where Bun has no vector instructions for WebAssembly. */
export async function loadVocoder(): Promise<Vocoder> {
  const assembly = await instantiate(await Bun.file(wasmPath).bytes())
  fillTables(assembly)
  const view = ({ value }: WebAssembly.Global, length: number) =>
    new Float32Array(assembly.memory.buffer, value as number, length)
  const rows = view(assembly.rows, groupFrames * rowLength)
  const source = view(assembly.source, groupSamples)
  const pulses = view(assembly.pulses, hopSamples)
  const sound = view(assembly.sound, groupSamples)

  /** The pulse train, with half a transform reflected at either end, and silence for missing frames. */
  function makeSource(f0: Float32Array, groups: number): Float32Array {
    const last = f0.length - 1
    const length = f0.length * hopSamples
    const made = new Float32Array(groups * groupHops + transformSize)
    for (let at = 0; at <= last; at++) {
      assembly.writePulses(f0[Math.max(0, at - 1)]!, f0[at]!, f0[Math.min(last, at + 1)]!)
      made.set(pulses, half + at * hopSamples)
    }
    for (let i = 1; i <= half; i++) made[half - i] = made[half + reflect(i, length)]!
    for (let i = 0; i < half; i++) made[half + length + i] = made[half + reflect(length + i, length)]!
    return made
  }

  return (spectra) => {
    const frames = spectra.f0.length
    const groups = Math.ceil(frames / groupFrames)
    const samples = new Float32Array(frames * hopSamples)
    assembly.begin()
    const train = makeSource(spectra.f0, groups)
    for (let group = 0; group < groups; group++) {
      const found = spectra.rows.subarray(group * rows.length, (group + 1) * rows.length)
      rows.set(found)
      rows.fill(silence, found.length)
      const start = group * groupHops
      source.set(train.subarray(start, start + groupSamples))
      assembly.addGroup()
      // The first window begins half a transform before the first sample.
      const skipped = group === 0 ? half : 0
      const done = group === groups - 1 ? groupSamples : groupHops
      const from = start + skipped - half
      samples.set(sound.subarray(skipped, Math.min(done, skipped + samples.length - from)), from)
      assembly.advance()
    }
    levelEnds(samples, frames)
    return samples
  }
}

async function instantiate(bytes: Uint8Array<ArrayBuffer>): Promise<Assembly> {
  try {
    const module = await WebAssembly.compile(bytes)
    return new WebAssembly.Instance(module).exports as Assembly
  } catch (error) {
    const needed = 'vector instructions for WebAssembly, which on x64 need a processor with AVX'
    throw new Error(`voices of Hibari need ${needed}`, { cause: error })
  }
}

function fillTables({ memory: { buffer }, circle, directions, radii, prepare }: Assembly): void {
  const cosines = (length: number) => Float64Array.from({ length }, (_, i) => Math.cos((2 * Math.PI * i) / length))
  new Float64Array(buffer, circle.value as number).set(cosines(transformSize))
  new Float32Array(buffer, directions.value as number).set(cosines(noiseSteps))
  const squares = Float64Array.from({ length: noiseSteps }, (_, i) => -2 * Math.log((i + 0.5) / noiseSteps))
  const meanSquare = squares.reduce((sum, square) => sum + square, 0) / noiseSteps
  new Float32Array(buffer, radii.value as number).set(squares.map((square) => Math.sqrt((2 * square) / meanSquare)))
  prepare()
}

/** The index in 0…`length` − 1 that `index` ≥ 0 has after reflections at the first and the last one. */
function reflect(index: number, length: number): number {
  const rest = index % (2 * (length - 1))
  return rest < length ? rest : 2 * (length - 1) - rest
}

/** Divides the samples at both ends, where fewer windows overlap, by the missing share. */
function levelEnds(samples: Float32Array, frames: number): void {
  const edge = half - hopSamples
  for (let i = 0; i < samples.length; i++) {
    if (i === edge) i = Math.max(edge, samples.length - half)
    samples[i]! *= fullOverlap / overlapAt(i, frames)
  }
}

/** Sum of the squared windows of all frames at a sample. */
function overlapAt(index: number, frames: number): number {
  const nearest = Math.floor((index + half) / hopSamples)
  let sum = 0
  for (let frame = Math.max(0, nearest - overlap + 1); frame <= Math.min(nearest, frames - 1); frame++)
    sum += window[index + half - frame * hopSamples]! ** 2
  return sum
}
