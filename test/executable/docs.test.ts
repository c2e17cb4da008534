/** The examples of the documentation, run as they stand there. */
import { describe, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { executable } from './sonant'

const docs = join(import.meta.dir, '../../docs')

async function blocks(file: string, language: string): Promise<string[]> {
  const text = await Bun.file(join(docs, file)).text()
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code!)
}

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-docs-'))
  try {
    await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const env = { PATH: `${dirname(executable)}:${dirname(process.execPath)}:/usr/bin:/bin` }

describe('docs/testing-with-sonant.md', () => {
  it('has a test suite that passes', async () => {
    const [suite] = await blocks('testing-with-sonant.md', 'ts')
    await inDirectory(async (directory) => {
      await Bun.write(join(directory, 'shop.test.ts'), suite!)
      const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'test'], { cwd: directory, env })
      expect({ exitCode, summary: /\d+ pass/.exec(stderr.toString())?.[0] }).toEqual({ exitCode: 0, summary: '3 pass' })
    })
  })

  it('has a seed that can be planted', async () => {
    const seed = (await blocks('testing-with-sonant.md', 'json')).find((block) => block.includes('"groups"'))
    await inDirectory(async (directory) => {
      const path = join(directory, 'seed.json')
      await Bun.write(path, seed!)
      const child = Bun.spawn([executable, 'serve', '--ephemeral', '--seed', path], {
        env,
        stdout: 'pipe',
        stderr: 'ignore',
      })
      const { value } = await child.stdout.getReader().read()
      const { base_url } = JSON.parse(Buffer.from(value!).toString()) as { base_url: string }
      const account = await fetch(`${base_url}/api/v1/account`, { headers: { authorization: 'Bearer sk-ann-capped' } })
      child.kill()
      await child.exited
      expect(await account.json()).toMatchObject({ name: 'Ann', balance: 1000, key: { cap: 100, limits: { tts: 5 } } })
    })
  })
})
