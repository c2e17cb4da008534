/** The format of the vocoder's spectra. One frame of spectra stands for one hop of samples. */

/** Hz. */
export const vocoderRate = 24_000
/** Samples per transform. */
export const transformSize = 1200
/** Samples between transforms. */
export const hopSamples = 300
/** Bins of a spectrum, from 0 Hz to half the sample rate. */
export const bins = transformSize / 2 + 1
