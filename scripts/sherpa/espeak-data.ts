/** Unpacks eSpeak NG's data folder from the npm package, for programs without their own data. */
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const packageDirectory = dirname(Bun.resolveSync('@echogarden/espeak-ng-emscripten', import.meta.dir))

/** Writes the data to `directory`, which then holds `phontab`. */
export async function unpackEspeakData(directory: string): Promise<void> {
  const glue = await Bun.file(join(packageDirectory, 'espeak-ng.js')).text()
  const data = await Bun.file(join(packageDirectory, 'espeak-ng.data')).bytes()
  const entries = glue.matchAll(/\{filename:"\/usr\/share\/espeak-ng-data\/([^"]+)",start:(\d+),end:(\d+)/g)
  for (const [, name, start, end] of entries) {
    const path = join(directory, name!)
    await mkdir(dirname(path), { recursive: true })
    await Bun.write(path, data.subarray(Number(start), Number(end)))
  }
}
