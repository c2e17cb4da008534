/** `sonant help TOPIC`: a document of this version, or one of its sections, as plain text for a terminal. */
import { write } from './print'

type Topic = { readonly document: string; readonly markdown: string }

const loadDocs = async () => (await import('./docs')).docs

export async function topicNames(): Promise<string[]> {
  return Object.entries(await loadDocs()).flatMap(([name, markdown]) => [name, ...sectionsOf(markdown).keys()])
}

/** Finds a document by its name (`api`, `api.md`, `docs/api.md`), or a section by its title (`exit-codes`). */
export async function findTopic(given: string): Promise<Topic | undefined> {
  const docs = await loadDocs()
  const name = given
    .toLowerCase()
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
  if (Object.hasOwn(docs, name)) return { document: name, markdown: docs[name]! }
  for (const [document, markdown] of Object.entries(docs)) {
    const section = sectionsOf(markdown).get(name)
    if (section !== undefined) return { document, markdown: section }
  }
  return undefined
}

/** Sections by the slug of their title, as in a link; the first one of a name wins. */
function sectionsOf(markdown: string): Map<string, string> {
  const sections = new Map<string, string>()
  const headings = [...markdown.matchAll(/^(#{2,4}) (.+)$/gm)]
  for (const [i, { 1: marks, 2: title, index }] of headings.entries()) {
    const name = title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .trim()
      .replaceAll(' ', '-')
    const next = headings.slice(i + 1).find((other) => other[1]!.length <= marks!.length)
    if (!sections.has(name)) sections.set(name, markdown.slice(index, next?.index))
  }
  return sections
}

export async function listTopics(): Promise<string> {
  const docs = await loadDocs()
  const width = Math.max(...Object.keys(docs).map((name) => name.length))
  const lines = Object.entries(docs).map(([name, markdown]) => {
    return `  ${name.padEnd(width)}  ${/^# (.+)$/m.exec(markdown)?.[1] ?? ''}\n`
  })
  return `Topics; sonant help <topic> shows one, sonant help <title-of-a-section> a part of it:

${lines.join('')}
The codes that sonant ends with: sonant help exit-codes
`
}

const columnsDefault = 100
const columnsMax = 120

/** Shows a topic, through a pager if it is longer than the terminal. `given` must be a topic. */
export async function showTopic(given: string): Promise<void> {
  const { stdout } = process
  const { markdown } = (await findTopic(given))!
  const columns = Math.min(columnsMax, stdout.isTTY ? stdout.columns : columnsDefault)
  const text = plainText(markdown, columns)
  const isLong = stdout.isTTY && text.split('\n').length >= stdout.rows
  if (!isLong || !(await page(text))) await write([text])
}

/** Without colors; a link to another document becomes the command that shows it. */
export function plainText(markdown: string, columns: number): string {
  const withCommands = markdown
    .replace(/^ *<!--.*-->\n+/gm, '')
    .replace(/\[([^\]]+)\]\((?:docs\/)?([a-z-]+)\.md(?:#[\w-]*)?\)/g, (_, label: string, name: string) => {
      const command = `sonant help ${name}`
      return /^(docs\/)?[a-z-]+\.md$/.test(label) ? command : `${label} (${command})`
    })
    .replace(/\[([^\]]+)\]\(#[\w-]*\)/g, '$1')
  return Bun.markdown.ansi(withCommands, { colors: false, hyperlinks: false, columns })
}

/** Returns false without a pager. */
async function page(text: string): Promise<boolean> {
  const pager = process.env.PAGER ?? ['less', 'more'].find((name) => Bun.which(name))
  if (!pager) return false
  // The pager handles Ctrl-C.
  const ignore = () => undefined
  process.on('SIGINT', ignore)
  const child = Bun.spawn(['sh', '-c', pager], {
    env: { LESS: 'FRX', ...process.env },
    stdin: new Blob([text]),
    stdout: 'inherit',
    stderr: 'inherit',
  })
  const exitCode = await child.exited
  process.off('SIGINT', ignore)
  return exitCode !== 127
}
