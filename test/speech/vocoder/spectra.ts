/** Made-up spectra for tests of the vocoder. scripts/hibari/vocoder-table.py makes the same. */
import { bins, rowParts } from '../../../src/speech/vocoder/format'
import { joinRows } from '../../../src/speech/vocoder/rows'
import type { Spectra } from '../../../src/speech/vocoder/vocoder'

/** `bins` rows with one number per frame. */
export type Columns = Readonly<Record<(typeof rowParts)[number], Float32Array>> & { readonly f0: Float32Array }

export function spectraOf(columns: Columns): Spectra {
  const parts = rowParts.map((part) => columns[part])
  return { rows: joinRows(parts, columns.f0.length), f0: columns.f0 }
}

/** `scale` · sin(`a` · bin + `b` · frame) + `shift`. */
function wave(frames: number, a: number, b: number, scale: number, shift: number): Float32Array {
  return Float32Array.from({ length: bins * frames }, (_, i) => {
    return scale * Math.sin(a * Math.floor(i / frames) + b * (i % frames)) + shift
  })
}

/** Unvoiced, a rising tone, unvoiced, a high tone. */
export const melody = [...Array(3).fill(0), ...Array.from({ length: 12 }, (_, i) => 120 + 9 * i), 0, 0, 300, 300, 300]

/** Without noise. */
export function madeUpColumns(f0: readonly number[]): Columns {
  const frames = f0.length
  return {
    harmonicGain: wave(frames, 0.05, 0.9, 2, -1),
    harmonicPhase: wave(frames, 0.11, 0.3, 1.5, 0),
    noiseGain: silent(frames),
    freeGain: wave(frames, 0.03, 1.1, 1, -3),
    freePhase: wave(frames, 0.9, 2.3, 3, 0),
    f0: Float32Array.from(f0),
  }
}

/** Wide ranges of all numbers, with noise. */
export function wideColumns(f0: readonly number[]): Columns {
  const frames = f0.length
  return {
    harmonicGain: wave(frames, 0.7, 0.9, 60, -54),
    harmonicPhase: wave(frames, 0.11, 0.3, 20, 0),
    noiseGain: wave(frames, 0.07, 0.5, 50, -47),
    freeGain: wave(frames, 0.13, 1.1, 100, -94),
    freePhase: wave(frames, 0.9, 2.3, 300, 0),
    f0: Float32Array.from(f0),
  }
}

/** Only noise, of variance 1 per component. */
export function whiteSpectra(frames: number): Spectra {
  const zeros = new Float32Array(bins * frames)
  return spectraOf({
    ...{ harmonicGain: silent(frames), harmonicPhase: zeros, freeGain: silent(frames), freePhase: zeros },
    ...{ noiseGain: zeros, f0: new Float32Array(frames) },
  })
}

const silent = (frames: number) => new Float32Array(bins * frames).fill(-Infinity)
