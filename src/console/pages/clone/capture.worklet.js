/** Runs in the audio thread of the browser: sends the sound of the microphone to the page in blocks. */
const blockFrames = 2048

class Capture extends AudioWorkletProcessor {
  block = new Float32Array(blockFrames)
  filled = 0

  process([input]) {
    const [channel] = input
    if (!channel) return true
    this.block.set(channel, this.filled)
    this.filled += channel.length
    if (this.filled + channel.length > blockFrames) {
      this.port.postMessage(this.block.subarray(0, this.filled))
      this.filled = 0
    }
    return true
  }
}

registerProcessor('capture', Capture)
