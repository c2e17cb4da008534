/** The sample rates of formats whose encoders are loaded on use, in Hz. */

/** RFC 6716, section 2. */
export const opusSampleRates: readonly number[] = [8000, 12_000, 16_000, 24_000, 48_000]

/** In the order of their index in ISO/IEC 14496-3, table 1.18. */
export const aacSampleRates: readonly number[] = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
]
