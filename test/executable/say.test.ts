/** `sonant say`: the source of the text, the target of the audio, and cleanup after an interruption. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test'
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, symlink, watch } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childrenOf, isRunning } from '../processes'
import { until } from '../until'
import { decode } from '../../src/audio/decode/decode'
import { durationSeconds } from '../../src/audio/pcm'
import { limits } from '../audio/decode/recordings'
import { readWav } from '../sound'
import { defaultVoiceId, executable, parseOutput, runSonant, startIn } from './sonant'

let root: string
let directory: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sonant-say-'))
})
beforeEach(async () => {
  directory = await mkdtemp(join(root, 'case-'))
})
afterAll(() => rm(root, { recursive: true }))

const at = (...names: string[]) => join(directory, ...names)
const run = (...args: string[]) => runSonant(args, { cwd: directory, env: { TMPDIR: directory } })
/** With Kevin, who costs the least and loads no library; the last flag counts. */
const say = (...args: string[]) => run('say', '--voice', 'en-kevin', ...args)

/** Runs with data on standard input. */
function pipe(input: string | Uint8Array, ...args: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([executable, 'say', '--voice', 'en-kevin', ...args], {
    cwd: directory,
    env: { PATH: '/usr/bin:/bin', TMPDIR: directory },
    stdin: new Blob([input as Uint8Array<ArrayBuffer>]),
  })
  return { exitCode, stdout, stderr: stderr.toString() }
}

const wavHeaderBytes = 44
const bytes = (name: string) => Bun.file(at(name)).bytes()
const longText = 'This is one of many sentences that together take quite a while to speak. '.repeat(2000)

describe('the text', () => {
  it('comes from the command line, a file, or standard input, with the same bytes', async () => {
    await Bun.write(at('text.txt'), '\uFEFFHello there, friend.')
    expect(say('Hello', 'there,', 'friend.', '-o', 'words.mp3').exitCode).toBe(0)
    expect(say('-f', 'text.txt', '-o', 'file.mp3').exitCode).toBe(0)
    expect(pipe('Hello there, friend.', '-', '-o', 'dash.mp3').exitCode).toBe(0)
    expect(pipe('Hello there, friend.', '-o', 'pipe.mp3').exitCode).toBe(0)
    expect(pipe(Buffer.from('\uFEFFHello there, friend.', 'utf16le'), '-f', '-', '-o', 'windows.mp3').exitCode).toBe(0)
    const words = await bytes('words.mp3')
    for (const name of ['file', 'dash', 'pipe', 'windows']) expect(await bytes(`${name}.mp3`)).toEqual(words)
  })

  it('becomes a file of the format that the extension names', async () => {
    for (const [format, kind, rate] of [
      ['wav', 'wav', 44_100],
      ['mp3', 'mp3', 16_000],
      ['opus', 'ogg-opus', 48_000],
      ['flac', 'flac', 16_000],
      ['aac', 'aac', 16_000],
    ] as const) {
      const { audio_ms, ...answer } = parseOutput<{ format: string; audio_ms: number }>(
        say('Hello there, friend.', '--json', '-o', `a.${format}`),
      )
      expect(answer).toMatchObject({ format, file: `a.${format}` })
      const sound = await decode(await bytes(`a.${format}`), limits)
      expect([sound.kind, sound.channels, sound.damagedFrames, sound.pcm.sampleRate]).toEqual([kind, 1, 0, rate])
      // ADTS cannot say that its first frame and the end of the last are no sound.
      const extraMs = durationSeconds(sound.pcm) * 1000 - audio_ms
      expect(extraMs).toBeWithin(-1, format === 'aac' ? (2 * 1024 * 1000) / rate + 1 : 1)
      // The audio of the same name is replaced.
      expect(say('Hello there, friend.', '-o', `a.${format}`).exitCode).toBe(0)
      expect(say('Hello there, friend.', '--format', format, '-o', 'b', '--force').exitCode).toBe(0)
      expect(await bytes('b')).toEqual(await bytes(`a.${format}`))
    }
  })

  it('may start with a dash after --', () => {
    expect(say('-o', 'a.mp3', '--', '-5', 'degrees').exitCode).toBe(0)
  })

  it('is spoken in full beyond the limit of a request', async () => {
    const sentence = 'The clock struck nine, and nobody in the whole town was awake to hear it. '
    await Bun.write(at('long.txt'), `${sentence.repeat(40)}\n\nThe very end.`)
    say(sentence, '--voice', 'en-kevin', '-o', 'one.wav')
    say('-f', 'long.txt', '--voice', 'en-kevin', '-o', 'long.wav')
    const [one, long] = ['one.wav', 'long.wav'].map((name) => Bun.file(at(name)).size - wavHeaderBytes)
    expect(long! / one!).toBeWithin(39.3, 46.7)
    expect(long! % one!).not.toBe(0)
  })

  const refused: [string, () => { exitCode: number | null; stderr: string }, number, string][] = [
    ['nothing at all', () => say(), 2, 'needs a text'],
    ['an empty pipe', () => pipe('', '-o', 'a.mp3'), 2, 'needs a text'],
    ['no text', () => pipe(Buffer.from([0x61, 0xff, 0xfe]), '-o', 'a.mp3'), 2, 'UTF-8'],
    ['two texts', () => say('-f', 'a.txt', 'Hi'), 2, 'two texts'],
    ['a file that is not there', () => say('-f', 'none.txt'), 1, 'none.txt: no such file'],
    ['a directory', () => say('-f', '.'), 1, 'it is a directory'],
    ['a voice that is not there', () => say('Hi', '--voice', 'Clara'), 2, 'did you mean "en-clara"'],
  ]
  it.each(refused)('is refused in a line: %s', async (_, act, code, message) => {
    const { exitCode, stderr } = act()
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)])
    expect(stderr.trim().split('\n').length).toBe(1)
    expect(await readdir(directory)).toEqual([])
  })
})

describe('the file', () => {
  it('replaces audio, and other files only with --force', async () => {
    await Bun.write(at('notes.mp3'), 'My notes of ten years.')
    const refused = say('Hi', '-o', 'notes.mp3')
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('--force')])
    expect(await Bun.file(at('notes.mp3')).text()).toBe('My notes of ten years.')
    expect(say('Hi', '-o', 'notes.mp3', '--force').exitCode).toBe(0)
    const short = await bytes('notes.mp3')
    expect(say('Hello to all of you', '-o', 'notes.mp3').exitCode).toBe(0)
    expect((await bytes('notes.mp3')).length).toBeGreaterThan(short.length)
    await Bun.write(at('empty.wav'), '')
    await chmod(at('empty.wav'), 0o640)
    expect(say('Hi', '-o', 'empty.wav').exitCode).toBe(0)
    expect((await lstat(at('empty.wav'))).mode & 0o777).toBe(0o640)
    expect((await readdir(directory)).sort()).toEqual(['empty.wav', 'notes.mp3'])
  })

  it('is the target of a link, which stays a link', async () => {
    await mkdir(at('deep'))
    await symlink('deep/target.mp3', at('link.mp3'))
    for (let i = 0; i < 2; i++) expect(say('Hi', '-o', 'link.mp3').exitCode).toBe(0)
    expect((await lstat(at('link.mp3'))).isSymbolicLink()).toBe(true)
    expect((await bytes('deep/target.mp3')).length).toBeGreaterThan(1000)
    await symlink('round.mp3', at('round.mp3'))
    expect(say('Hi', '-o', 'round.mp3').exitCode).toBe(2)
  })

  it('does not replace a device, a FIFO or standard output, which get the same bytes as a file', async () => {
    expect(say('Hello', '-o', 'file.mp3').exitCode).toBe(0)
    const file = await bytes('file.mp3')
    for (const name of ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']) {
      const { stdout } = Bun.spawnSync([executable, 'say', '--voice', 'en-kevin', 'Hello', '-o', name], {
        cwd: directory,
      })
      expect(new Uint8Array(stdout)).toEqual(file)
    }
    Bun.spawnSync(['mkfifo', at('fifo.mp3')])
    const reader = Bun.spawn(['cat', at('fifo.mp3')])
    expect(say('Hello', '-o', 'fifo.mp3').exitCode).toBe(0)
    expect(await new Response(reader.stdout).bytes()).toEqual(file)
    expect((await lstat(at('fifo.mp3'))).isFIFO()).toBe(true)
    expect(say('Hello', '-o', '/dev/null').exitCode).toBe(0)
    expect((await lstat('/dev/null')).isCharacterDevice()).toBe(true)
    expect((await readdir(directory)).sort()).toEqual(['fifo.mp3', 'file.mp3'])
  })

  it('is appended to by a shell redirection', async () => {
    const line = `printf before > out; "$0" say --voice en-kevin Hello -o /dev/stdout >> out`
    expect(Bun.spawnSync(['sh', '-c', line, executable], { cwd: directory }).exitCode).toBe(0)
    expect((await Bun.file(at('out')).text()).startsWith('before')).toBe(true)
    expect((await bytes('out')).length).toBeGreaterThan(2000)
  })

  const refused: [string[], number, string][] = [
    [['-o', 'a.mp3', '--format', 'wav'], 2, 'its name says mp3, --format says wav'],
    [['-o', 'a.ogg'], 2, '".ogg" cannot be made'],
    [['-o', 'a.ogg', '--format', 'mp3'], 2, '".ogg" cannot be made'],
    [['-o', 'a.dat'], 2, 'add --format'],
    [['-o', '.'], 2, 'is a directory'],
    [['-o', 'a/'], 2, 'name a file'],
    [['-o', ''], 2, 'name a file'],
    [['-o', 'no/such/a.mp3'], 1, 'no/such/a.mp3: there is no directory no/such'],
    [['-o', '/dev/full'], 1, '/dev/full: the disk is full'],
    [['-o', `${'a'.repeat(300)}.mp3`], 1, 'name too long'],
    [['-o', '-', '--json'], 2, 'both want standard output'],
  ]
  it.each(refused)('is refused in a line: %p', async (flags, code, message) => {
    const { exitCode, stdout, stderr } = say('Hi', ...flags)
    expect([exitCode, stdout, stderr]).toEqual([code, '', expect.stringContaining(message)])
    expect(stderr.trim().split('\n').length).toBe(1)
    expect(await readdir(directory)).toEqual([])
  })
})

describe('an interruption', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('by %s it ends with %d and leaves no file and no process', async (signal, code) => {
    await Bun.write(at('long.txt'), longText)
    const changes = watch(directory)
    const child = Bun.spawn([executable, 'say', '--voice', 'en-kevin', '-f', 'long.txt', '-o', 'a.wav'], {
      cwd: directory,
      env: { PATH: '/usr/bin:/bin', TMPDIR: directory },
      stderr: 'ignore',
    })
    for await (const { filename } of changes) if (filename?.endsWith('.part')) break
    await until(() => childrenOf(child.pid).length > 0)
    const workers = childrenOf(child.pid)
    child.kill(signal)
    expect(await child.exited).toBe(code)
    expect(await readdir(directory)).toEqual(['long.txt'])
    await until(() => !workers.some(isRunning))
  })
})

it.each(['SIGINT', 'SIGTERM'] as const)('leaves no file when %s arrives right after its creation', async (signal) => {
  const changes = watch(directory)
  const child = Bun.spawn([executable, 'say', '--voice', 'en-kevin', '-o', 'a.wav'], {
    cwd: directory,
    stdin: new Blob([longText]),
    stderr: 'ignore',
  })
  for await (const { filename } of changes) if (filename?.endsWith('.part')) break
  child.kill(signal)
  await child.exited
  expect(await readdir(directory)).toEqual([])
})

it('leaves no file when its reader leaves, and exits as after SIGPIPE', async () => {
  const line = `{ "$0" say --voice en-kevin -o - --format wav < long.txt; echo $? > code; } | head -c 100 > /dev/null`
  // Its sound is larger than the buffer of a pipe.
  await Bun.write(at('long.txt'), longText.slice(0, 300))
  const env = { PATH: '/usr/bin:/bin', TMPDIR: directory }
  Bun.spawnSync(['sh', '-c', line, executable], { cwd: directory, env, stderr: 'ignore' })
  expect((await Bun.file(at('code')).text()).trim()).toBe('141')
  expect((await readdir(directory)).sort()).toEqual(['code', 'long.txt'])
})

describe('--play', () => {
  /** A player that keeps its input. */
  async function installPlayer(name: string, script: string): Promise<string> {
    const folder = at('bin')
    await Bun.write(join(folder, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, name), 0o755)
    return folder
  }

  const play = (folder: string, ...args: string[]) =>
    runSonant(['say', '--voice', 'en-kevin', 'Hello', '--play', ...args], {
      cwd: directory,
      env: { PATH: folder, TMPDIR: directory },
    })

  it('plays a wav with an installed player, and leaves no file', async () => {
    const folder = await installPlayer('aplay', `/bin/cat "$2" > '${at('played.wav')}'`)
    expect(play(folder).exitCode).toBe(0)
    expect(durationSeconds(readWav(await bytes('played.wav')))).toBeGreaterThan(0.3)
    expect((await readdir(directory)).sort()).toEqual(['bin', 'played.wav'])
  })

  it('tries the next player after a failure, and reports all failures', async () => {
    const folder = await installPlayer('paplay', 'echo "Connection refused" >&2; exit 1')
    const failed = play(folder)
    expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining('paplay: Connection refused')])
    await installPlayer('play', 'exit 0')
    expect(play(folder, '-o', 'kept.wav').exitCode).toBe(0)
    expect((await bytes('kept.wav')).length).toBeGreaterThan(2000)
  })

  it('lists the known players when none is installed', () => {
    const { exitCode, stderr } = play(directory)
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/paplay, aplay, mpv, ffplay, play\n$/)])
  })
})

describe('the voice', () => {
  it('is the first of the API’s list, with the settings of the data directory', async () => {
    const sonant = await startIn(directory)
    const data = at('data')
    const first = async () => {
      const response = await fetch(`${sonant.baseUrl}/api/v1/voices`)
      return ((await response.json()) as { voices: { id: string }[] }).voices[0]!.id
    }
    const agree = async (id: string) => {
      expect(await first()).toBe(id)
      expect(parseOutput<object>(run('say', 'Hi', '-o', 'a.mp3', '--json', '--data', data))).toMatchObject({
        voice_id: id,
      })
      expect(parseOutput<{ items: { id: string }[] }>(run('voices', '--json', '--data', data)).items[0]!.id).toBe(id)
      expect(run('voices', '--data', data).stdout).toStartWith(id)
    }
    const update = (id: string, ...flags: string[]) =>
      expect(run('voices', 'update', id, ...flags, '--data', data).exitCode).toBe(0)
    await agree(defaultVoiceId)
    update('zh-jun', '--featured', 'true', '--position', '5')
    await agree('zh-jun')
    update('en-clara', '--featured', 'true', '--position', '2')
    await agree('en-clara')
    update('en-clara', '--public', 'false')
    await agree('zh-jun')
    update('zh-jun', '--active', 'false')
    await agree(defaultVoiceId)
    const deactivated = run('say', 'Hi', '--voice', 'zh-jun', '--data', data)
    expect([deactivated.exitCode, deactivated.stderr]).toEqual([2, expect.stringContaining('deactivated')])
    expect(run('say', 'Hi', '--voice', 'en-clara', '-o', 'b.mp3', '--data', data).exitCode).toBe(0)
    await sonant.stop()
  })
})
