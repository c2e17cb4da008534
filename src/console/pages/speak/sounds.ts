/** How stored audio looks: its length and the loudest sample of every stretch, for drawing. Decoded in the browser. */

import { peaksOf } from '../../parts/peaks'

/** `peaks`: as {@link peaksOf} finds them. */
export type Sound = { readonly seconds: number; readonly peaks: Float32Array }

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
  const peaks = peaksOf(samples, sampleRate)
  return { seconds: buffer.duration, peaks }
}
