/** Malformed files of every format, and valid files that inflate: generic damage, and false fields per format. */
import { aacLies } from './malformed-aac'
import { flacLies } from './malformed-flac'
import { mp3Lies } from './malformed-mp3'
import { mp4Lies } from './malformed-mp4'
import { oggLies } from './malformed-ogg'
import { wavLies } from './malformed-wav'
import { damage, type NamedFile } from './damage'
import { readFixture } from './recordings'
import { tone } from '../signals'
import { wavFile } from './wav-files'

const sound = tone({ hz: 300, seconds: 1, sampleRate: 8000 }).samples
const wav = (format: 'pcm' | 'float', bits: number) =>
  wavFile({ format, bits, sampleRate: 8000, channelData: [sound, sound] })

export const malformed: Record<string, () => NamedFile[]> = {
  wav: () => [...damage(wav('pcm', 16)), ...damage(wav('float', 32)), ...wavLies()],
  mp3: () => [...damage(readFixture('mono.mp3')), ...damage(readFixture('stereo-vbr.mp3')), ...mp3Lies()],
  flac: () => [...damage(readFixture('mono.flac')), ...flacLies()],
  m4a: () => [
    ...damage(readFixture('mono.m4a')),
    ...damage(readFixture('fragmented.mp4')),
    ...damage(readFixture('he-mono.m4a')),
    ...mp4Lies(),
  ],
  aac: () => [...damage(readFixture('mono.aac')), ...damage(readFixture('he-mono.aac')), ...aacLies()],
  ogg: () => [
    ...damage(readFixture('stereo-vorbis.ogg')),
    ...damage(readFixture('stereo-opus.ogg')),
    ...damage(readFixture('mono-flac.ogg')),
    ...oggLies(),
  ],
}
