/** Stored sound as server-sent events (HTML, section 9.2), in the shape that clients of OpenAI read. */

/** Bytes of sound per event: a multiple of 3, so that base64 needs no padding, and of the bytes of a sample. */
const deltaBytes = 3 << 13

/** Reads the next part when the client has taken the one before. `units`: the characters charged. */
export function eventsOf(sound: Blob, units: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const write = (event: object) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`)
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at < sound.size) {
          const part = await sound.slice(at, at + deltaBytes).bytes()
          at += deltaBytes
          controller.enqueue(write({ type: 'speech.audio.delta', audio: part.toBase64() }))
          return
        }
        const usage = { input_tokens: units, output_tokens: 0, total_tokens: units }
        controller.enqueue(write({ type: 'speech.audio.done', usage }))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
