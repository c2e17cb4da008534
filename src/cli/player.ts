/** Plays a file with a program of this machine; there is none inside. */
import type { AudioFormat } from '../audio/encode/encoder'
import { AppError } from '../errors'

type Player = {
  readonly program: string
  readonly flags: readonly string[]
  readonly formats: readonly AudioFormat[]
}

const both: readonly AudioFormat[] = ['mp3', 'wav']

/** In this order: the sound servers' own first, then what plays on what is there. */
const players: readonly Player[] = [
  { program: 'afplay', flags: [], formats: both },
  { program: 'pw-play', flags: [], formats: ['wav'] },
  { program: 'paplay', flags: [], formats: ['wav'] },
  { program: 'aplay', flags: ['-q'], formats: ['wav'] },
  { program: 'mpv', flags: ['--no-video', '--really-quiet'], formats: both },
  { program: 'ffplay', flags: ['-nodisp', '-autoexit', '-loglevel', 'error'], formats: both },
  { program: 'play', flags: ['-q'], formats: both },
  { program: 'mpg123', flags: ['-q'], formats: ['mp3'] },
]

/** Those that are here, in order. Throws `not_found`, whose message says which were looked for. */
export function findPlayers(format: AudioFormat): readonly Player[] {
  const fitting = players.filter(({ formats }) => formats.includes(format))
  const found = fitting.filter(({ program }) => Bun.which(program) !== null)
  if (found.length > 0) return found
  const names = fitting.map(({ program }) => program).join(', ')
  throw new AppError('not_found', `--play: there is no player of ${format} here; looked for ${names}`)
}

/** With the first that can: one may be installed and have nothing to play on. `onStart` gets what stops it. */
export async function play(path: string, found: readonly Player[], onStart: (stop: () => void) => void): Promise<void> {
  const failures: string[] = []
  for (const { program, flags } of found) {
    const child = Bun.spawn([program, ...flags, path], { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
    onStart(() => child.kill())
    const [complaint, exitCode] = await Promise.all([new Response(child.stderr).text(), child.exited])
    if (exitCode === 0) return
    failures.push(`${program}: ${complaint.trim().split('\n').at(-1) || `exit code ${exitCode}`}`)
  }
  throw new AppError('not_found', `--play: nothing could play it (${failures.join('; ')})`)
}
