/** The descriptions of the commands, and everything generated from them. */
import { describe, expect, it } from 'bun:test'
import { listCommands, verbs } from '../../src/cli/commands/table'
import type { Command } from '../../src/cli/commands/description'
import { readFlags, UsageError } from '../../src/cli/flags'
import { helpFor } from '../../src/cli/help'
import { findTopic, listTopics, plainText, topicNames } from '../../src/cli/topics'
import { settingNames } from '../../src/config'
import { describeCommands, path } from '../../scripts/commands'

const commands = listCommands()

/** Splits a line into words as a shell does, with quotes. */
const split = (line: string) => [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c!)

describe('every command', () => {
  it.each(commands)('$words has two examples that it understands', ({ words, command }) => {
    expect(command.examples.length).toBeGreaterThanOrEqual(2)
    for (const example of command.examples) {
      // The part of a shell line that calls sonant.
      const own = /sonant[^|<>)]*/.exec(example)![0].trim()
      const args = split(own).slice(1)
      const called = words.split(' ')
      const operation = called[1]
      const behind = args.slice(args[1] === operation ? called.length : 1)
      expect(args[0]).toBe(called[0]!)
      expect(() => readFlags(words, command as Command, behind)).not.toThrow()
    }
  })

  it.each(commands)('$words has a help with its flags and examples', ({ words, command }) => {
    const [verb, operation] = words.split(' ')
    const help = helpFor(verb!, operation)
    for (const name of Object.keys({ ...command.flags, data: 1, json: 1 })) expect(help).toContain(`--${name}`)
    for (const example of command.examples) expect(help).toContain(`  ${example}\n`)
    expect(help.split('\n').filter((line) => line.length > 120)).toEqual([])
  })

  it('is in docs/commands.md unchanged (run bun scripts/commands.ts)', async () => {
    expect(await Bun.file(path).text()).toBe(describeCommands())
  })
})

it('docs/operating.md has every setting of serve', async () => {
  const operating = await Bun.file(`${import.meta.dir}/../../docs/operating.md`).text()
  const elsewhere = ['api-key', 'admin-key', 'balance', 'seed']
  for (const name of settingNames) if (!elsewhere.includes(name)) expect(operating).toContain(`\`--${name}\``)
})

describe('flags', () => {
  const say = commands.find(({ words }) => words === 'say')!.command
  const adjust = commands.find(({ words }) => words === 'account adjust')!.command
  const read = (...args: string[]) => readFlags('say', say, args)

  it('are read with their values, short or long, and the words between them', () => {
    const { values, positionals } = read('-o', 'a.mp3', '--speed=2', '--json', '--', '--voice')
    expect([values, positionals]).toEqual([{ output: 'a.mp3', speed: '2', json: true } as never, ['--voice']])
  })

  it('take a negative number as a value', () => {
    const { values } = readFlags('account adjust', adjust, ['ID', '--units', '-5', '--reason', 'r'])
    expect(values).toMatchObject({ units: '-5' } as never)
  })

  const mistakes: [string[], string][] = [
    [['--voive', 'x'], 'say has no flag --voive; did you mean "--voice"?'],
    [['--colour', 'red'], 'say has no flag --colour; sonant help say lists its flags'],
    [['-x'], 'say has no flag -x; words that begin with "-" go behind "--"'],
    [['Hi', '--voice'], '--voice needs a value: --voice VOICE'],
    [['Hi', '--voice', '--speed', '2'], '--voice needs a value, found "--speed"'],
    [['Hi', '--json=yes'], '--json takes no value; found "yes"'],
    [['Hi', '--__proto__', 'x'], 'say has no flag --__proto__'],
    [['Hi', '--constructor', 'x'], 'say has no flag --constructor'],
  ]
  it.each(mistakes)('refuse %p with a specific message', (args, message) => {
    expect(() => read(...args)).toThrow(UsageError)
    expect(() => read(...args)).toThrow(message)
  })

  it('name a missing flag or argument', () => {
    expect(() => readFlags('account adjust', adjust, ['ID'])).toThrow('account adjust needs --units N')
    expect(() => readFlags('account adjust', adjust, ['--units', '1', '--reason', 'r'])).toThrow('needs an ID')
    expect(() => readFlags('account adjust', adjust, ['ID', 'b', '--units', '1'])).toThrow('unexpected "b"')
  })
})

describe('topics', () => {
  it('exist for every reference in a message or document', async () => {
    const root = `${import.meta.dir}/../..`
    const files = ['src/**/*.ts', 'docs/*.md', 'README.md'].flatMap((glob) => [...new Bun.Glob(glob).scanSync(root)])
    // `sonant help lists all verbs` is a sentence.
    const known = new Set([...Object.keys(verbs), ...(await topicNames()), 'topics', 'lists'])
    const named = await Promise.all(
      files.map(async (file) => {
        const text = await Bun.file(`${root}/${file}`).text()
        return [...text.matchAll(/sonant help ([a-z][a-z-]*)/g)].map(([, topic]) => topic!)
      }),
    )
    expect(named.flat().length).toBeGreaterThan(10)
    expect(named.flat().filter((topic) => !known.has(topic))).toEqual([])
  })

  it('are named by messages instead of files, which readers may not have', async () => {
    const root = `${import.meta.dir}/../../src`
    const naming = [...new Bun.Glob('**/*.ts').scanSync(root)].filter((file) => file !== 'cli/read-docs.ts')
    const strings = /(['"`])(?:(?!\1)[^\\\n])*\bdocs\/[a-z-]+\.md(?:(?!\1)[^\\\n])*\1/
    const wrong: string[] = []
    for (const file of naming) {
      const code = (await Bun.file(`${root}/${file}`).text()).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
      if (strings.test(code)) wrong.push(file)
    }
    expect(naming.length).toBeGreaterThan(100)
    expect(wrong).toEqual([])
  })

  it('are all documents', async () => {
    const files = [...new Bun.Glob('*.md').scanSync(`${import.meta.dir}/../../docs`)].map((file) => file.slice(0, -3))
    const names = await topicNames()
    expect(files.filter((file) => !names.includes(file))).toEqual([])
    for (const file of files) expect(await listTopics()).toContain(`  ${file} `)
  })

  it('are found by name, by file and by the title of a section', async () => {
    const whole = await findTopic('operating')
    expect(await findTopic('docs/operating.md')).toEqual(whole!)
    const section = await findTopic('exit-codes')
    expect(section!.markdown).toStartWith('## Exit codes\n')
    expect(section!.markdown.length).toBeLessThan(whole!.markdown.length)
    expect(await findTopic('nothing-of-that-name')).toBeUndefined()
  })

  it('are plain text within the width, and links between documents are commands', () => {
    const text = plainText(
      '# A title\n\nSee [voices.md](voices.md#english), [the rest](docs/api.md) and [below](#x).\n',
      60,
    )
    expect(text).toContain('See sonant help voices, the rest (sonant help api) and')
    expect(text.split('\n').filter((line) => line.length > 60)).toEqual([])
    expect(text).not.toContain('\u001b')
  })
})
