/**
 * Unusable packs copied into the directory of the running executable: each is refused with its reason, and no request
 * fails.
 */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdir, symlink, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { piperConfig, writePiperPack } from '../onnx/piper'
import { addToGraph, bytes, tensor, varint } from '../onnx/raw'
import { tonesModel } from '../onnx/tones'
import { vitsModel } from '../onnx/vits'
import { childrenOf, isRunning, ticksOf } from '../processes'
import { parseOutput, runSonant, startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'
import { drop, dropTones, packsTried, type PackItem } from './voice-packs'
import { until } from '../until'

setDefaultTimeout(120_000)

const model = tonesModel()
const withModel = (graph: Uint8Array) => (directory: string) => writePiperPack(directory, { name: 'x', model: graph })
/** With parameters in another file. */
const external = (location: string) => withModel(addToGraph(model, tensor({ dims: [1], external: { location } })))
const noise = Uint8Array.from({ length: 20_000 }, (_, i) => (i * i * 31 + i * 17) & 0xff)
const zip = new Uint8Array([0x50, 0x4b, 3, 4, ...new Uint8Array(1000)])
const config = JSON.stringify(piperConfig())
const files = (graph: string | Uint8Array) => ({ 'x.onnx': graph, 'x.onnx.json': config })
async function linkOut(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await symlink('/etc/passwd', join(directory, 'x.onnx'))
  await Bun.write(join(directory, 'x.onnx.json'), config)
}

const bad: readonly (readonly [name: string, pack: Parameters<typeof drop>[2], reason: RegExp])[] = [
  ['truncated', withModel(model.slice(0, model.length / 2)), /x\.onnx/],
  ['random', files(noise), /x\.onnx/],
  ['archive', files(zip), /x\.onnx.*zip/],
  ['page', files('<!DOCTYPE html><title>404</title>'), /x\.onnx.*web page/],
  ['data-missing', external('x.onnx_data'), /x\.onnx_data/],
  ['data-outside', external('../../sonant.db'), /outside/],
  ['data-absolute', external('/etc/passwd'), /outside/],
  ['link-outside', linkOut, /x\.onnx/],
  ['nan', withModel(tonesModel({ brokenBy: 1 })), /not finite/],
  ['silent', withModel(tonesModel({ level: 0 })), /silence/],
  ['huge', (directory) => withModel(model)(directory).then(() => truncate(join(directory, 'x.onnx'), 3e9)), /2 GiB/],
  ['opset', withModel(new Uint8Array(Buffer.concat([model, bytes(8, varint(2, 99))]))), /opset/],
  ['signature', withModel(vitsModel()), /x\.onnx.*input/],
  // The start of every sentence.
  ['abort', withModel(tonesModel({ fatalBy: 1 })), /its process crashed/],
  ['hungry', withModel(tonesModel({ endlessBy: 'always', hungry: true })), /more memory than a model of its size may/],
  ['constant', withModel(tonesModel({ constantBytes: 12e9 })), /more memory than a model of its size may/],
]
const names = bad.map(([name]) => name)
const sleeper = 'endless'

let sonant: EphemeralSonant
let packs: Readonly<Record<string, PackItem>>
/** Requests while packs are probed. */
const answers: number[] = []
beforeAll(async () => {
  sonant = await startEphemeral({ flags: ['--model-memory-bytes', String(256 << 20)] })
  for (const [name, pack] of bad) await drop(sonant.dataDirectory, name, pack)
  const trying = packsTried(sonant, names, sonant.adminKey)
  let done = false
  void trying.finally(() => (done = true))
  while (!done) {
    answers.push((await sonant.request('/api/v1/tts', { body: { text: 'Still here.', voice_id: 'en-kevin' } })).status)
    await Bun.sleep(200)
  }
  packs = await trying
})
afterAll(() => stopAndRemove(sonant))

const refusals = () =>
  sonant
    .log()
    .split('\n')
    .filter((line) => line.includes('pack refused'))
    .map((line) => JSON.parse(line) as { pack: string; reason: string })
const listed = () => {
  const packs = runSonant(['voices', 'packs', '--json', '--data', sonant.dataDirectory])
  return parseOutput<{ items: PackItem[] }>(packs).items
}

describe('an unusable pack', () => {
  it.each(names)('%s is refused with the same reason in the admin API, the log and the command line', (name) => {
    const item = packs[name]!
    const [, , reason] = bad.find(([one]) => one === name)!
    expect([item.state, item.voices]).toEqual(['refused', []])
    expect(item.reason).toMatch(reason)
    expect(item.reason).not.toContain('\n')
    expect(refusals().find(({ pack }) => pack === name)?.reason).toBe(item.reason!)
    expect(listed().find((one) => one.name === name)).toMatchObject({ state: 'refused', reason: item.reason })
  })

  it('did not keep requests from being answered', () => {
    expect(answers.length).toBeGreaterThan(5)
    expect(new Set(answers)).toEqual(new Set([200]))
  })

  it('that never ends does not delay the next probe, and its process can be killed', async () => {
    const before = childrenOf(sonant.process.pid).filter(isRunning)
    await dropTones(sonant.dataDirectory, sleeper, { endlessBy: 'always' })
    let probing: number | undefined
    await until(() => {
      probing = childrenOf(sonant.process.pid).find((pid) => isRunning(pid) && !before.includes(pid))
      return probing !== undefined
    })
    // Its graph computes for ever; a second of it is enough.
    await until(() => ticksOf(probing!) > 100)
    process.kill(probing!, 'SIGSTOP')
    await dropTones(sonant.dataDirectory, 'good')
    packs = await packsTried(sonant, ['good'], sonant.adminKey)
    // Before its timeout: the next pack did not wait.
    expect(isRunning(probing!)).toBe(true)
    expect(packs[sleeper]!.state).toBe('checking')
    expect((await sonant.request('/api/v1/tts', { body: { text: 'Still here.', voice_id: 'en-kevin' } })).status).toBe(
      200,
    )
    process.kill(probing!, 'SIGSEGV')
    process.kill(probing!, 'SIGCONT')
    packs = await packsTried(sonant, [sleeper, 'good'], sonant.adminKey)
    expect(packs[sleeper]).toMatchObject({ state: 'refused', reason: 'it could not be tested: its process crashed' })
    expect(packs.good!.state).toBe('ready')
    const { answer } = await sonant.speak({ text: 'Hello there.', voice_id: packs.good!.voices[0] })
    expect(answer).toMatchObject({ voice_id: packs.good!.voices[0] })
  })
})
