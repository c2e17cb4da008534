/** The database that the executable of commit 0ada0e2 made; see the README of the fixtures. */
import { join } from 'node:path'

export const oldFixtureVersion = 5

/** Writes it to `path`. */
export async function writeOldFixture(path: string): Promise<void> {
  const packed = await Bun.file(join(import.meta.dir, 'fixtures/database-0ada0e2.db.zst')).bytes()
  await Bun.write(path, Bun.zstdDecompressSync(packed))
}
