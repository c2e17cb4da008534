/** Files for programs that decode sound independently of Sonant. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWavEncoder } from '../../src/audio/encode/wav'
import { type Pcm, toInt16 } from '../../src/audio/pcm'

const folder = mkdtempSync(join(tmpdir(), 'sonant-audio-test-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
let count = 0

/** Writes these bytes to a new temporary file and returns its path. */
export async function writeFile(bytes: Uint8Array, suffix: string): Promise<string> {
  const path = join(folder, `${count++}${suffix}`)
  await Bun.write(path, bytes)
  return path
}

export function writeWav(pcm: Pcm): Promise<string> {
  return writeFile(wavFile(pcm), '.wav')
}

/** The bytes of a WAV file, 16-bit mono. */
export function wavFile(pcm: Pcm): Uint8Array {
  const encoder = createWavEncoder({ sampleRate: pcm.sampleRate })
  const body = encoder.append(toInt16(pcm.samples))
  return new Uint8Array(Buffer.concat([encoder.finish().head, body]))
}

/** Runs a program that writes signed 16-bit samples to its standard output. */
export function decodeWith(command: string[]): { samples: Int16Array; log: string } {
  const { stdout, stderr, exitCode } = Bun.spawnSync(command, { stdout: 'pipe', stderr: 'pipe' })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
  const bytes = new Uint8Array(stdout)
  return { samples: new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1), log: stderr.toString() }
}
