/** The two dictionaries of the console have the same keys, and no page has words of its own. */
import { describe, expect, it } from 'bun:test'
import { join } from 'node:path'
import { en } from '../../src/console/words/en'
import { zh } from '../../src/console/words/zh'

type Tree = { readonly [key: string]: string | ((...given: never[]) => string) | Tree }

function listOf(words: Tree, path = ''): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'object' ? listOf(value, `${path}${key}.`) : [`${path}${key} ${typeof value}`],
  )
}

const textsOf = (words: Tree): string[] =>
  Object.values(words).flatMap((value) =>
    typeof value === 'object' ? textsOf(value) : [typeof value === 'string' ? value : String(value)],
  )

describe('the words of the console', () => {
  it('are the same in both languages', () => {
    expect(listOf(zh).sort()).toEqual(listOf(en).sort())
    expect(listOf(en).length).toBeGreaterThan(50)
  })

  it('are written, and in Chinese with Chinese characters', () => {
    expect([...textsOf(en), ...textsOf(zh)].filter((text) => text.trim() === '')).toEqual([])
    const latin = textsOf(zh).filter((text) => !/\p{Script=Han}/u.test(text))
    // Names, codes and units stay as they are.
    expect(latin.filter((text) => /[A-Za-z]{3,} [a-z]{2,} [a-z]{2,}/.test(text))).toEqual([])
  })

  it('name every operation of the audit log', async () => {
    const root = join(import.meta.dir, '../../src')
    const logged = new Set<string>()
    for await (const file of new Bun.Glob('{admin,clone,people}/*.ts').scan(root)) {
      const text = await Bun.file(join(root, file)).text()
      for (const [, act] of text.matchAll(/(?:(?:runOperation|change)\(\w+, |\bact: )'([a-z -]+)'/g)) logged.add(act!)
    }
    expect(logged.size).toBeGreaterThan(25)
    expect([...logged].filter((act) => !(act in en.account.log.acts))).toEqual([])
  })

  it('are in the dictionaries only', async () => {
    const found: string[] = []
    for await (const file of new Bun.Glob('src/console/**/*.tsx').scan(join(import.meta.dir, '../..'))) {
      const text = await Bun.file(join(import.meta.dir, '../..', file)).text()
      // Text between tags, or in an attribute that is read or shown.
      const own = [
        ...text.matchAll(
          /(?:^\s*|>)([A-Z][a-z]+(?: [\w']+)+)(?=[.?!]?\s*<\/)|(?:aria-label|title|placeholder|label)="([^"]*[a-z]{3}[^"]*)"/gm,
        ),
      ]
      found.push(...own.map(([match]) => `${file}: ${match}`))
    }
    expect(found).toEqual([])
  })
})
