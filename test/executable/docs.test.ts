/** Runs the examples of the documents unchanged. */
import { describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import manifest from '../../voices/catalogue.json'
import {
  examplesRunBy,
  followConsole,
  hasShapeOf,
  isAsShown,
  readExamples,
  root,
  runShown,
  type Example,
  type Place,
} from './documents'
import { executable, startIn } from './sonant'
import { readReadyLine } from '../lines'

setDefaultTimeout(120_000)

const documents = ['README.md', ...(await readdir(join(root, 'docs'))).sort().map((name) => `docs/${name}`)].filter(
  (file) => file.endsWith('.md'),
)
/** Plain text is not an example: it is the help of the verbs, which has its own tests. */
const examples = (await Promise.all(documents.map(readExamples))).flat().filter(({ language }) => language !== 'text')

/** Documents whose examples run from top to bottom, as by a reader with a fresh installation. */
const followed = ['README.md', 'docs/api.md', 'docs/admin.md', 'docs/errors.md', 'docs/openai.md']

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-docs-'))
  try {
    await Bun.write(join(directory, '.curlrc'), 'silent\nwrite-out = "\\n"\n')
    await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const env = { PATH: `${dirname(executable)}:${dirname(process.execPath)}:/usr/bin:/bin` }

describe('the documents', () => {
  it('run every example or state the reason not to', () => {
    const silent = examples.filter(({ file, mark }) => !mark && !followed.includes(file))
    expect(silent.map(({ file, line }) => `${file}:${line}`)).toEqual([])
  })

  it('name existing tests', async () => {
    const tests = await Promise.all(
      ['docs', 'backup', 'proxy'].map((name) => Bun.file(join(import.meta.dir, `${name}.test.ts`)).text()),
    )
    const named = examples.flatMap(({ mark }) => (mark?.kind === 'run by' ? [mark.text] : []))
    expect(named.filter((name) => !tests.some((text) => text.includes(`'${name}'`)))).toEqual([])
    const files = examples.flatMap(({ mark }) => mark?.text.match(/test\/[\w/-]+\.test\.ts/g) ?? [])
    expect(files.length).toBeGreaterThan(3)
    for (const file of files) expect([file, await Bun.file(join(root, file)).exists()]).toEqual([file, true])
  })

  it('count the built-in voices and their languages', async () => {
    const languages = new Set(manifest.voices.map(({ language }) => language.split('-')[0]))
    for (const file of ['README.md', 'docs/voices.md'])
      expect(await Bun.file(join(root, file)).text()).toContain(
        `${manifest.voices.length} voices in ${languages.size} languages`,
      )
    const described = examples.find(({ mark }) => mark?.text === 'GET /api/v1/voices')
    expect(JSON.parse(described!.code)).toMatchObject({ total: manifest.voices.length })
  })

  it('link to existing sections', async () => {
    const texts = new Map(
      await Promise.all(documents.map(async (file) => [file, await Bun.file(join(root, file)).text()] as const)),
    )
    const anchorsOf = (text: string) =>
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replace(/[^\p{L}\p{N}_ -]/gu, '')
          .replaceAll(' ', '-'),
      )
    const broken: string[] = []
    for (const [file, text] of texts)
      for (const [, path, anchor] of text.matchAll(/\]\(([\w./-]*\.md)?(?:#([^)]+))?\)/g)) {
        if (!path && !anchor) continue
        const target = path ? join(dirname(file), path) : file
        const found = texts.get(target) ?? ((await Bun.file(join(root, target)).exists()) ? '' : undefined)
        if (found === undefined || (anchor && !anchorsOf(found).includes(anchor)))
          broken.push(`${file}: ${path ?? ''}#${anchor ?? ''}`)
      }
    expect(broken).toEqual([])
  })
})

describe.each(followed)('%s', (file) => {
  it('shows the answers of a fresh installation', async () => {
    await inDirectory(async (directory) => {
      const sonant = await startIn(directory)
      try {
        await symlink(dirname(executable), join(directory, 'dist'))
        await writeRecording(join(directory, 'me.m4a'), sonant)
        await Bun.write(join(directory, 'chapter.txt'), 'It was a dark night. The wind blew.')
        const { apiKey } = sonant
        const variables = { ...env, HOME: directory, USER: 'maria', KEY: apiKey, API_KEY: apiKey, ADMIN_KEY: apiKey }
        const bindings = new Map([['sk-…', apiKey]])
        const place: Place = { directory, baseUrl: sonant.baseUrl, env: variables, bindings }
        expect(
          await follow(
            examples.filter((example) => example.file === file),
            place,
          ),
        ).toEqual([])
      } finally {
        await sonant.stop()
      }
    })
  })
})

/** A recording to clone, made without a server so that the balance stays. Its name is that of the documents. */
async function writeRecording(path: string, { directory }: { directory: string }): Promise<void> {
  const text = 'The old house on the hill was sold last month, and we are going to visit our friends tomorrow.'
  const made = Bun.spawnSync([executable, 'say', text, '--voice', 'en-kevin', '-o', join(directory, 'me.wav')], {
    cwd: directory,
  })
  if (made.exitCode !== 0) throw new Error(made.stderr.toString())
  await Bun.write(path, Bun.file(join(directory, 'me.wav')))
}

/**
 * The differences from the document. A JSON block is the answer to the commands before it, or to the request in its
 * comment.
 */
async function follow(all: readonly Example[], place: Place): Promise<string[]> {
  const wrong: string[] = []
  let printed = ''
  for (const example of all) {
    const { file, line, language, code, mark } = example
    const complain = (found: string) => wrong.push(`${file}:${line}: shown:\n${code}\nfound:\n${found}`)
    if (mark && mark.kind !== 'shows') continue
    if (language === 'console') wrong.push(...followConsole(example, place))
    else if (language === 'sh') {
      const { exitCode, output } = runShown(code, place)
      printed = output
      if (exitCode !== 0) complain(output)
    } else if (language === 'json') {
      const found = mark ? await ask(mark.text, place) : printed
      if (!isSameJson(JSON.parse(code), JSON.parse(found))) complain(found)
    } else complain(`nobody knows how to run ${language}`)
  }
  return wrong
}

async function ask(request: string, { baseUrl, env: { KEY } }: Place): Promise<string> {
  const [, method, path, body] = /^(\w+) (\S+)(?: (.+))?$/.exec(request)!
  const response = await fetch(baseUrl + path, { method, body, headers: { authorization: `Bearer ${KEY}` } })
  return response.text()
}

/** Compares errors word by word, answers by their fields. */
function isSameJson(shown: unknown, found: unknown): boolean {
  const isError = typeof shown === 'object' && shown !== null && 'error' in shown
  return isError ? isAsShown(JSON.stringify(shown), JSON.stringify(found), new Map()) : hasShapeOf(shown, found)
}

describe('docs/testing-with-sonant.md', () => {
  const document = 'docs/testing-with-sonant.md'

  it('has a test suite that passes', async () => {
    const [suite] = await examplesRunBy(document, 'the worked example')
    await inDirectory(async (directory) => {
      await Bun.write(join(directory, 'shop.test.ts'), suite!)
      const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'test'], { cwd: directory, env })
      expect({ exitCode, summary: /\d+ pass/.exec(stderr.toString())?.[0] }).toEqual({ exitCode: 0, summary: '3 pass' })
    })
  })

  it('shows the line of an ephemeral server', async () => {
    const [command] = await examplesRunBy(document, 'an ephemeral server')
    const [line] = await examplesRunBy(document, 'the line of readiness')
    await inDirectory(async (directory) => {
      const child = Bun.spawn(['sh', '-c', `exec ${command}`], {
        cwd: directory,
        env,
        stdout: 'pipe',
        stderr: 'ignore',
      })
      const found = await readReadyLine(child.stdout)
      child.kill()
      await child.exited
      expect(hasShapeOf(JSON.parse(line!), found)).toBe(true)
    })
  })

  it.each(['sh', 'bash'])('has a shell example for %s that speaks, and ends when the port is taken', async (shell) => {
    const [script] = await examplesRunBy(document, 'the shell example')
    await inDirectory(async (directory) => {
      const run = (text: string) =>
        Bun.spawnSync([shell, '-c', text], { cwd: directory, env: { ...env, HOME: directory } })
      const spoken = run(script!)
      expect([spoken.exitCode, spoken.stderr.toString()]).toEqual([0, expect.any(String)])
      expect(JSON.parse(spoken.stdout.toString())).toMatchObject({ units: 5 })
      await rm(join(directory, 'ready.json'))
      const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
      const port = String(taken.port)
      const refused = run(script!.replace('--ephemeral', `--ephemeral --port ${port}`))
      await taken.stop(true)
      expect([refused.exitCode, refused.stdout.toString()]).toEqual([1, ''])
      expect(refused.stderr.toString()).toContain('sonant: ')
    })
  })

  it('has a seed that can be planted', async () => {
    const [seed] = await examplesRunBy(document, 'the seed')
    await inDirectory(async (directory) => {
      const path = join(directory, 'seed.json')
      await Bun.write(path, seed!)
      const child = Bun.spawn([executable, 'serve', '--ephemeral', '--seed', path], {
        env,
        stdout: 'pipe',
        stderr: 'ignore',
      })
      const { base_url } = await readReadyLine<{ base_url: string }>(child.stdout)
      const account = await fetch(`${base_url}/api/v1/account`, { headers: { authorization: 'Bearer sk-ann-capped' } })
      child.kill()
      await child.exited
      expect(await account.json()).toMatchObject({ name: 'Ann', balance: 1000, key: { cap: 100, limits: { tts: 5 } } })
    })
  })
})
