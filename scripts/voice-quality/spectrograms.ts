/** Spectrograms by sox, to be looked at. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Speaker } from './speakers'
import { mandarin, mixed, prose } from './texts'

/** Draws one file per speaker into a new folder, and prints its path. */
export async function drawSpectrograms(speakers: readonly Speaker[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sonant-spectrograms-'))
  for (const { name, speak } of speakers) {
    const text = name === 'Xiaobei' ? `${mandarin[0]} ${mixed[0]![0]}` : `${prose[2]} ${prose[3]}`
    const wav = join(folder, `${name}.wav`)
    await Bun.write(wav, await speak(text))
    const png = join(folder, `${name}.png`)
    const { exitCode } = Bun.spawnSync([
      'sox',
      wav,
      '-n',
      'rate',
      '24k',
      'spectrogram',
      '-t',
      name,
      '-x',
      '1200',
      '-y',
      '400',
      '-o',
      png,
    ])
    if (exitCode !== 0) throw new Error(`sox ended with ${exitCode}`)
    console.log(png)
  }
}
