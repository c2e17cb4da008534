/** Saves a take as one file; the parts of a long one are joined. */
import type { Format } from './draft'

/** `urls`: at least one part, all in `format`. Throws when one of them cannot be fetched. */
export async function joinAudio(urls: readonly string[], format: Format): Promise<Blob> {
  const files = await Promise.all(urls.map(fetchBytes))
  if (format === 'wav') return new Blob(files.length === 1 ? files : joinWav(files), { type: 'audio/wav' })
  return new Blob(files.length === 1 ? files : files.map(withoutTag), { type: 'audio/mpeg' })
}

/** By a link of this page: a browser opens a file of another origin in place of saving it. */
export function saveAs(audio: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(audio)
  link.download = name
  link.click()
  // Safari reads the file only after the click has ended.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

type Bytes = Uint8Array<ArrayBuffer>

async function fetchBytes(url: string): Promise<Bytes> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
  return new Uint8Array(await answer.arrayBuffer())
}

/** The length of the header of the service's files. */
const wavHeaderBytes = 44

/** One header with the length of all, then the samples of every part. */
function joinWav(files: readonly Bytes[]): Bytes[] {
  const samples = files.map((file) => file.subarray(wavHeaderBytes))
  const sizeBytes = samples.reduce((sum, { length }) => sum + length, 0)
  const header = files[0]!.slice(0, wavHeaderBytes)
  const view = new DataView(header.buffer)
  view.setUint32(4, wavHeaderBytes - 8 + sizeBytes, true)
  view.setUint32(40, sizeBytes, true)
  return [header, ...samples]
}

/** Frame header, side information and the tag itself; the rest of the frame is zero. */
const mp3TagBytesMin = 177

/**
 * A part of an mp3 without its first frame, which holds the length of that part alone. What follows are frames of a
 * constant bit rate, from which players find the length of the whole.
 */
function withoutTag(file: Bytes): Bytes {
  const version = file[1]
  for (let at = mp3TagBytesMin; at < file.length - 1; at++)
    if (file[at] === 0xff && file[at + 1] === version) return file.subarray(at)
  return file
}
