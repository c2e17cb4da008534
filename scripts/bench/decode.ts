/**
 * Decoding against native ffmpeg on the same file, both to mono floating point. Sonant's decoder runs in this process,
 * warmed up; ffmpeg runs as a whole process, as in a service without its own decoder.
 */
import { decode } from '../../src/audio/decode/decode'
import { speechLike } from '../../test/audio/signals'
import { compareWithProgram } from './compare'
import { type BenchRow, printTable } from './report'

const seconds = 60
const limits = { secondsMax: 2 * seconds, channelsMax: 8, sizeBytesMax: 64 * 2 ** 20, timeoutMs: 60_000 }

/** The formats made from the WAV file, with the arguments of ffmpeg. */
const formats: [name: string, suffix: string, args: string[]][] = [
  ['MP3 96 kbit/s', '.mp3', ['-c:a', 'libmp3lame', '-b:a', '96k']],
  ['FLAC', '.flac', []],
  ['M4A (AAC-LC) 96 kbit/s', '.m4a', ['-c:a', 'aac', '-b:a', '96k']],
  ['ADTS (AAC-LC) 96 kbit/s', '.aac', ['-c:a', 'aac', '-b:a', '96k']],
  ['Ogg Vorbis', '.ogg', ['-c:a', 'libvorbis', '-q:a', '4']],
  ['Ogg Opus 48 kbit/s', '.opus', ['-c:a', 'libopus', '-b:a', '48k']],
  ['Ogg FLAC', '.oga', ['-c:a', 'flac']],
]

export async function benchDecode(): Promise<BenchRow[]> {
  const input = speechLike({ seconds, sampleRate: 44_100 })
  const shared = {
    input,
    goal: 0.5,
    command: ['ffmpeg', '-v', 'error', '-y', '-i', 'IN', '-ac', '1', '-c:a', 'pcm_f32le', 'OUT'],
    outputSuffix: '.wav',
    ours: async (inputPath: string) => decode(await Bun.file(inputPath).bytes(), limits),
  }
  const rows = [await compareWithProgram({ ...shared, name: 'decode WAV, 16 bits' })]
  for (const [name, suffix, args] of formats) {
    const prepare = { suffix, command: ['ffmpeg', '-v', 'error', '-y', '-i', 'WAV', ...args, 'IN'] }
    rows.push(await compareWithProgram({ ...shared, name: `decode ${name}`, prepare }))
  }
  return rows
}

if (import.meta.main) printTable(await benchDecode())
