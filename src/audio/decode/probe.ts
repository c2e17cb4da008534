/**
 * Detects a file's format by its content, never by its name, and its duration from its headers alone. This takes
 * milliseconds: no number in the file can make a loop longer than the file.
 */
import { findAdts, probeAdts } from './adts'
import { BadAudio } from './bad-audio'
import { isAt } from './bytes'
import { isFlac, probeFlac } from './flac'
import { findMp3, otherMpegAudio, probeMp3 } from './mp3'
import { isMp4, probeMp4 } from './mp4'
import { isOgg, oggKind, probeOgg } from './ogg'
import type { AudioKind, Probe } from './sound'
import { isWav, probeWav } from './wav'

const formats = 'Sonant reads WAV, MP3, FLAC, M4A, AAC and Ogg (Vorbis, Opus, FLAC)'

/** Signatures of other common files. Their content may resemble MP3, so they are detected first. */
const otherFiles: [marker: string, name: string][] = [
  ['PK\x03\x04', 'a ZIP archive'],
  ['\x1f\x8b', 'a gzip archive'],
  ['\x89PNG', 'a PNG picture'],
  ['\xff\xd8\xff', 'a JPEG picture'],
  ['GIF8', 'a GIF picture'],
  ['%PDF', 'a PDF document'],
  ['\x1aE\xdf\xa3', 'WebM or Matroska'],
  ['FORM', 'AIFF'],
  ['RIFF', 'RIFF, but not WAV'],
  ['#!AMR', 'AMR'],
  ['caff', 'CAF'],
  ['\x30\x26\xb2\x75', 'WMA'],
]

/** Throws `empty`, `unknown`, `corrupt` and `unsupported`. */
export function probe(bytes: Uint8Array): Probe {
  const kind = sniff(bytes)
  switch (kind) {
    case 'wav':
      return probeWav(bytes)
    case 'mp3':
      return probeMp3(bytes)
    case 'flac':
      return probeFlac(bytes)
    case 'm4a':
      return probeMp4(bytes)
    case 'aac':
      return probeAdts(bytes)
    default:
      return probeOgg(bytes, kind)
  }
}

/** Detects the format by the first bytes. Throws `empty`, `unknown`, `unsupported`. */
export function sniff(bytes: Uint8Array): AudioKind {
  if (bytes.length === 0) throw new BadAudio('empty', 'The file is empty.')
  if (isWav(bytes)) return 'wav'
  if (isMp4(bytes)) return 'm4a'
  if (isOgg(bytes)) return oggKind(bytes)
  if (isFlac(bytes)) return 'flac'
  const other = otherFiles.find(([marker]) => isAt(bytes, 0, marker))
  if (other) throw new BadAudio('unknown', `The file is ${other[1]}; ${formats}.`)
  if (findAdts(bytes) !== null) return 'aac'
  const mpegAudio = otherMpegAudio(bytes)
  if (mpegAudio) throw new BadAudio('unsupported', `The file is ${mpegAudio}; ${formats}.`)
  if (findMp3(bytes) !== null) return 'mp3'
  throw new BadAudio('unknown', `The file is not a recording in a known format; ${formats}.`)
}
