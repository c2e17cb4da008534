/**
 * The duration of an mp3 file made by Sonant, from the Info tag in its first frame (layout:
 * `src/audio/encode/mp3-tag.ts`).
 */

const headBytes = 512
const mpeg1SampleRates = [44_100, 48_000, 32_000]

/** Throws when the file does not begin with a frame that holds the tag. */
export async function mp3DurationSeconds(path: string): Promise<number> {
  const head = await Bun.file(path).slice(0, headBytes).bytes()
  const tag = Buffer.from(head).indexOf('Info')
  if (head[0] !== 0xff || tag < 0) throw new Error(`${path} has no Info tag.`)
  const view = new DataView(head.buffer, head.byteOffset)
  const version = (head[1]! >> 3) & 3 // 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5
  const divisor = version === 3 ? 1 : version === 2 ? 2 : 4
  const sampleRate = mpeg1SampleRates[(head[2]! >> 2) & 3]! / divisor
  const frames = view.getUint32(tag + 8)
  const delayAndPadding = (view.getUint8(tag + 141) << 16) | view.getUint16(tag + 142)
  const skipped = (delayAndPadding >> 12) + (delayAndPadding & 0xfff)
  return (frames * (version === 3 ? 1152 : 576) - skipped) / sampleRate
}
