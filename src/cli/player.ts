/** Plays a file with an installed player; Sonant has none of its own. */
import { audioFormats, type AudioFormat } from '../audio/encode/encoder'
import { AppError } from '../errors'

type Player = {
  readonly program: string
  readonly flags: readonly string[]
  readonly formats: readonly AudioFormat[]
}

/** In order of preference: players of the sound servers first, then general ones. */
const players: readonly Player[] = [
  { program: 'afplay', flags: [], formats: ['mp3', 'wav', 'flac', 'aac'] },
  { program: 'pw-play', flags: [], formats: ['wav', 'flac'] },
  { program: 'paplay', flags: [], formats: ['wav', 'flac'] },
  { program: 'aplay', flags: ['-q'], formats: ['wav'] },
  { program: 'mpv', flags: ['--no-video', '--really-quiet'], formats: audioFormats },
  { program: 'ffplay', flags: ['-nodisp', '-autoexit', '-loglevel', 'error'], formats: audioFormats },
  { program: 'play', flags: ['-q'], formats: ['mp3', 'wav', 'flac'] },
  { program: 'mpg123', flags: ['-q'], formats: ['mp3'] },
]

/** The installed players, in order. Throws `not_found` with the names of all known players. */
export function findPlayers(format: AudioFormat): readonly Player[] {
  const fitting = players.filter(({ formats }) => formats.includes(format))
  const found = fitting.filter(({ program }) => Bun.which(program) !== null)
  if (found.length > 0) return found
  const names = fitting.map(({ program }) => program).join(', ')
  throw new AppError('not_found', `--play: found no player for ${format}; looked for ${names}`)
}

/**
 * Plays with the first player that succeeds: an installed one may have no sound device. `onStart` receives a function
 * that stops it.
 */
export async function play(path: string, found: readonly Player[], onStart: (stop: () => void) => void): Promise<void> {
  const failures: string[] = []
  for (const { program, flags } of found) {
    const child = Bun.spawn([program, ...flags, path], { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
    onStart(() => child.kill())
    const [complaint, exitCode] = await Promise.all([new Response(child.stderr).text(), child.exited])
    if (exitCode === 0) return
    failures.push(`${program}: ${complaint.trim().split('\n').at(-1) || `exit code ${exitCode}`}`)
  }
  throw new AppError('not_found', `--play: every player failed (${failures.join('; ')})`)
}
