/** The format of the vocoder's spectra. One frame of spectra stands for one hop of samples. */

/** Hz. */
export const vocoderRate = 24_000
/** Samples per transform. */
export const transformSize = 1200
/** Samples between transforms. */
export const hopSamples = 300
/** Bins of a spectrum, from 0 Hz to half the sample rate. */
export const bins = transformSize / 2 + 1
/**
 * The parts of a row, `bins` numbers each: the logarithm of the filter's gain on the pulse train, and its phase, which
 * is π · tanh of the number; the logarithm of the standard deviation of the noise, per component; the logarithm of the
 * magnitude of the part with phases of its own, and those phases in radians.
 */
export const rowParts = ['harmonicGain', 'harmonicPhase', 'noiseGain', 'freeGain', 'freePhase'] as const
/** Numbers of a frame. */
export const rowLength = rowParts.length * bins
