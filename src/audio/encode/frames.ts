/** Helpers for encoders of frames of equal length. */

/** Cuts samples that come in chunks of any size into frames of `frameSamples`. */
export function createFramer(frameSamples: number) {
  const frame = new Int16Array(frameSamples)
  let filled = 0
  return {
    /** Calls `onFrame` for each complete frame, which is valid during the call only. */
    add(samples: Int16Array, onFrame: (frame: Int16Array) => void): void {
      for (let at = 0; at < samples.length;) {
        const part = samples.subarray(at, at + frameSamples - filled)
        frame.set(part, filled)
        filled += part.length
        at += part.length
        if (filled < frameSamples) return
        filled = 0
        onFrame(frame)
      }
    },
    /** The samples that fill no frame, then silence. After that a frame of silence. */
    pad(): Int16Array {
      frame.fill(0, filled)
      filled = 0
      return frame
    },
  }
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}
