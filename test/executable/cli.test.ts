/** The verbs of the compiled executable. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { durationSeconds } from '../../src/audio/pcm'
import { readWav } from '../sound'
import { collectLines } from '../lines'
import { until } from '../until'
import { defaultVoiceId, executable, runSonant, startIn } from './sonant'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-cli-'))
})
afterAll(() => rm(directory, { recursive: true }))

const run = (...args: string[]) => runSonant(args, { cwd: directory })

describe('sonant say', () => {
  it('writes an mp3', async () => {
    const { exitCode, stdout, stderr } = run('say', 'Hello', '-o', 'hello.mp3')
    expect([exitCode, stdout, stderr]).toEqual([
      0,
      '',
      expect.stringMatching(new RegExp(`^hello\\.mp3: 0\\.\\d s, voice ${defaultVoiceId}\\n$`)),
    ])
    expect(Bun.file(join(directory, 'hello.mp3')).size).toBeGreaterThan(2000)
  })

  it('takes voice, speed and format', async () => {
    run('say', '你好，世界。', '-o', 'normal.wav', '--voice', 'zh-jun')
    run('say', '你好，世界。', '-o', 'fast', '--voice', 'zh-jun', '--speed', '2', '--format', 'wav')
    const [normal, fast] = await Promise.all(
      ['normal.wav', 'fast'].map(async (name) => readWav(await Bun.file(join(directory, name)).bytes())),
    )
    expect((2 * durationSeconds(fast!)) / durationSeconds(normal!)).toBeWithin(0.99, 1.01)
  })

  const mistakes: [string[], string][] = [
    [['say'], 'needs a text'],
    [['say', '  '], 'needs a text'],
    [['say', 'Hi', '--voice', 'nobody'], 'nobody'],
    [['say', 'Hi', '--speed', '3'], '0.5 to 2'],
    [['say', 'Hi', '--speed', 'fast'], '"fast"'],
    [['say', 'Hi', '--format', 'ogg'], 'mp3, wav, opus, flac or aac'],
    [['say', 'Hi', '--colour', 'red'], '--colour'],
    [['serve', '--port', '99999'], 'whole number from 0 to 65535'],
    [['serve', '--workers', '0'], 'whole number from 1'],
    [['serve', '--base-url', 'ftp://x'], 'http or https'],
    [['serve', '--mp3-sample-rate', '44000'], '44100'],
    [['serve', '--tls-cert', 'x.pem'], 'go together'],
    [['sing'], 'no verb "sing"'],
    [['serv'], 'did you mean "serve"'],
    [['voices', 'serch'], 'did you mean "search"'],
    [['serve', '--prot', '1'], 'did you mean "--port"'],
    [['account', 'create', '--nmae', 'x'], 'did you mean "--name"'],
    [['help', 'opreating'], 'did you mean "operating"'],
    [['completions', 'csh'], 'bash, zsh, fish'],
  ]
  it.each(mistakes)('refuses %p in one line', async (args, message) => {
    const { exitCode, stdout, stderr } = run(...args)
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toStartWith('sonant: ')
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n').length).toBe(1)
  })

  it('leaves nothing behind when it cannot write', async () => {
    const { exitCode, stderr } = run('say', 'Hi', '-o', 'no/such/directory.mp3')
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('no/such')])
    expect((await readdir(directory)).filter((name) => name.includes('.part'))).toEqual([])
  })
})

describe('the other verbs', () => {
  it('list the voices, for people and for programs', () => {
    const lines = run('voices').stdout.trim().split('\n')
    const { items } = JSON.parse(run('voices', '--json').stdout) as { items: { id: string }[] }
    expect(lines.length).toBe(items.length)
    expect(lines[0]).toStartWith(defaultVoiceId)
    expect(items[0]!.id).toBe(defaultVoiceId)
  })

  it('print the version and the help', () => {
    expect(run('version').stdout).toMatch(/^sonant \d+\.\d+\.\d+ \([0-9a-f]{7,}\)\n$/)
    for (const args of [['help'], ['--help'], []]) expect(run(...args).stdout).toContain('sonant <verb>')
  })

  it('explain each verb and operation, asked either way', () => {
    for (const words of [['say'], ['account'], ['account', 'create'], ['voices', 'pull']]) {
      const { exitCode, stdout, stderr } = run('help', ...words)
      expect([exitCode, stderr]).toEqual([0, ''])
      expect(stdout).toStartWith(`sonant ${words.join(' ')}: `)
      expect(stdout.split('\nExamples:\n')[1]!.trim().split('\n').length).toBeGreaterThanOrEqual(2)
      expect(run(...words, '--help').stdout).toBe(stdout)
    }
  })

  it('show the embedded documents', () => {
    expect(run('help', 'topics').stdout).toContain('  operating ')
    expect(run('help', 'errors').stdout).toContain('voice_not_allowed')
    expect(run('help', 'exit-codes').stdout).toMatch(/143 .* SIGTERM/)
  })

  it('write no control characters to a pipe', () => {
    for (const args of [['help'], ['help', 'errors'], ['sing'], ['voices'], ['version']]) {
      const { stdout, stderr } = run(...args)
      expect(stdout + stderr).not.toContain('\u001b')
    }
  })
})

describe('the completions of bash', () => {
  /** The completions of bash for the last of `words`. */
  function complete(...words: string[]): string[] {
    const script = `source <(sonant completions bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sonant; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = Bun.spawnSync(['bash', '--norc', '-c', script, 'bash', 'sonant', ...words], {
      cwd: directory,
      env: { PATH: `${dirname(executable)}:/usr/bin:/bin` },
    })
    expect(stderr.toString()).toBe('')
    return stdout.toString().split('\n').filter(Boolean)
  }

  it('know verbs, operations, flags, values, voices and files', async () => {
    await Bun.write(join(directory, 'text.txt'), 'Hello.')
    expect(complete('acc')).toEqual(['account'])
    expect(complete('account', 'd')).toEqual(['disable'])
    expect(complete('serve', '--limit-')).toEqual(['--limit-tts', '--limit-clone', '--limit-voices', '--limit-account'])
    expect(complete('say', '--format', '')).toEqual(['mp3', 'wav', 'opus', 'flac', 'aac'])
    expect(complete('say', '--voice', 'zh-m')).toEqual(['zh-mei'])
    expect(complete('say', '-o', 'text')).toEqual(['text.txt'])
    expect(complete('help', 'operat')).toEqual(['operating'])
    expect(complete('sing', '')).toEqual([])
  })
})

describe('sonant serve', () => {
  it('prints exactly one line on stdout, with a key and a setup link on the first start only', async () => {
    const data = join(directory, 'once')
    for (const first of [true, false]) {
      const child = Bun.spawn([executable, 'serve', '--port', '0', '--data', data], { stdout: 'pipe', stderr: 'pipe' })
      const [stdout, stderrText] = [collectLines(child.stdout), new Response(child.stderr).text()]
      await until(() => stdout.lines() !== '')
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      await stdout.end
      const stderr = await stderrText
      const lines = stdout.lines().trim().split('\n')
      expect(lines.length).toBe(1)
      const ready = JSON.parse(lines[0]!) as Record<string, unknown>
      const keys = ['ready', 'base_url', 'storage_url', ...(first ? ['api_key', 'setup_url'] : [])]
      expect(Object.keys(ready)).toEqual(keys)
      expect(ready.storage_url).toBe(`${ready.base_url}/audio`)
      if (first) {
        expect(ready.api_key).toMatch(/^sk-[0-9A-Za-z]{43}$/)
        expect(ready.setup_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/setup#[0-9A-Za-z]{43}$/)
        expect(stderr).toContain('Try it:')
      } else for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level')
    }
  })

  it('serves HTTPS with a certificate', async () => {
    const place = await mkdtemp(join(tmpdir(), 'sonant-tls-'))
    const fixture = (name: string) => join(import.meta.dir, '../fixtures', name)
    const sonant = await startIn(place, {
      flags: ['--tls-cert', fixture('tls-cert.pem'), '--tls-key', fixture('tls-key.pem')],
    })
    expect(sonant.storageUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/audio$/)
    const tls = { ca: await Bun.file(fixture('tls-cert.pem')).text() }
    const body = JSON.stringify({ text: 'Hello.' })
    const headers = { authorization: `Bearer ${sonant.apiKey}` }
    const response = await fetch(`${sonant.baseUrl}/api/v1/tts`, { method: 'POST', headers, body, tls })
    const { url } = (await response.json()) as { url: string }
    expect((await fetch(url, { tls })).status).toBe(200)
    await sonant.stop()
    await rm(place, { recursive: true })
  })

  it('takes flags over the environment over sonant.toml', async () => {
    const place = await mkdtemp(join(tmpdir(), 'sonant-config-'))
    await Bun.write(
      join(place, 'data/sonant.toml'),
      'base-url = "https://file.example"\nstorage-url = "https://cdn.example/a/"\n',
    )
    const sonant = await startIn(place, { env: { SONANT_BASE_URL: 'https://environment.example' } })
    expect([sonant.baseUrl, sonant.storageUrl]).toEqual(['https://environment.example', 'https://cdn.example/a'])
    await sonant.stop()
    const flagged = await startIn(place, {
      flags: ['--base-url', 'https://flag.example/'],
      env: { SONANT_BASE_URL: 'https://environment.example' },
    })
    expect(flagged.baseUrl).toBe('https://flag.example')
    await flagged.stop()
    await Bun.write(join(place, 'data/sonant.toml'), 'colour = "red"\n')
    const { exitCode, stderr } = runSonant(['serve', '--data', join(place, 'data')])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('"colour"')])
    await rm(place, { recursive: true })
  })
})
