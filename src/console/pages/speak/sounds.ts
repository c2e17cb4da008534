/** How stored audio looks: its length and the loudest sample of every stretch, for drawing. Decoded in the browser. */

/** `peaks`: one per {@link stretchSeconds}, 0 to 1. */
export type Sound = { readonly seconds: number; readonly peaks: Float32Array }

const stretchSeconds = 0.02
/** Enough for drawing, and supported by every browser. */
const sampleRate = 22_050
const soundsMax = 200

const sounds = new Map<string, Promise<Sound | undefined>>()

/** Undefined when the audio cannot be fetched or decoded; the player does without. */
export function readSound(url: string): Promise<Sound | undefined> {
  let sound = sounds.get(url)
  if (!sound) {
    sound = decode(url).catch(() => {
      sounds.delete(url)
      return undefined
    })
    sounds.set(url, sound)
    if (sounds.size > soundsMax) sounds.delete(sounds.keys().next().value!)
  }
  return sound
}

async function decode(url: string): Promise<Sound> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
  // An offline context may decode before the person has clicked anything.
  const context = new OfflineAudioContext(1, 1, sampleRate)
  const buffer = await context.decodeAudioData(await answer.arrayBuffer())
  const samples = buffer.getChannelData(0)
  const stretch = Math.round(stretchSeconds * sampleRate)
  const peaks = new Float32Array(Math.ceil(samples.length / stretch))
  for (let i = 0; i < samples.length; i++) {
    const level = Math.abs(samples[i]!)
    const at = Math.floor(i / stretch)
    if (level > peaks[at]!) peaks[at] = level
  }
  return { seconds: buffer.duration, peaks }
}

/** Reduces peaks to `count` bars of 0 to 1, the loudest of all being 1. */
export function toBars(peaks: readonly Float32Array[], count: number): number[] {
  const length = peaks.reduce((sum, each) => sum + each.length, 0)
  const bars = new Array<number>(count).fill(0)
  let at = 0
  for (const each of peaks) {
    for (const peak of each) {
      const bar = Math.min(count - 1, Math.floor((at++ * count) / length))
      bars[bar] = Math.max(bars[bar]!, peak)
    }
  }
  // A sound shorter than the bars leaves some without a peak of their own.
  for (let bar = 1; bar < count; bar++) if (length < count && bars[bar] === 0) bars[bar] = bars[bar - 1]!
  const loudest = Math.max(...bars, 1e-6)
  return bars.map((peak) => peak / loudest)
}
