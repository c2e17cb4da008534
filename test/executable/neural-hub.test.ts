/** Voices installed by name from a local hub: at the command line, and over HTTP until they speak. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeConverterPack } from '../onnx/converter'
import { piperConfig } from '../onnx/piper'
import { tonesModel } from '../onnx/tones'
import { styleTonesModel } from '../onnx/tones-kin'
import { addPiperVoices, commit, startHub, text, type HubServer } from '../packs/hub/hub-server'
import { onnxCommunityPack } from '../speech/models/style-packs'
import { executable, startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'
import { expectError } from './expect-error'
import { hear, packsTried, voiceOf } from './voice-packs'
import { describeWithAsset } from '../tools'
import { until } from '../until'

setDefaultTimeout(120_000)

const amy = 'en_US-amy-low'
const joe = 'en_US-joe-medium'

let hub: HubServer
let sonant: EphemeralSonant
beforeAll(async () => {
  hub = startHub()
  const graph = new Uint8Array(tonesModel())
  const broken = new Uint8Array(tonesModel({ brokenBy: 1 }))
  addPiperVoices(hub, [
    { key: amy, graph, config: piperConfig() },
    { key: joe, graph: new Uint8Array(tonesModel({ speakers: 2 })), config: piperConfig({ num_speakers: 2 }) },
    { key: 'en_US-broken-low', graph: broken, config: piperConfig() },
  ])
  const model = new Uint8Array(styleTonesModel())
  hub.repositories['onnx-community/Kokoro-82M-v1.0-ONNX'] = Object.fromEntries([
    ...Object.entries(onnxCommunityPack)
      .filter(([path]) => path !== 'onnx/model.onnx')
      .map(([path, content]) => {
        const bytes = typeof content === 'string' ? text(content) : new Uint8Array(content)
        return [path, { bytes, large: path.endsWith('.bin') }] as const
      }),
    ['onnx/model_quantized.onnx', { bytes: model, large: true }],
  ])
  sonant = await startEphemeral({ flags: ['--hub', hub.url] })
})
afterAll(async () => {
  await stopAndRemove(sonant)
  await hub.stop()
})

async function run(...args: string[]) {
  const child = Bun.spawn([executable, ...args, '--data', sonant.dataDirectory, '--hub', hub.url], {
    env: { PATH: '/usr/bin:/bin' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, stdout, stderr }
}

type Install = { name: string; state: string; folder: string | null; reason: string | null }
const installs = async () => (await sonant.admin('/packs')).installs as Install[]
const install = (name: string) => sonant.request('/api/v1/admin/packs', { body: { name }, key: sonant.adminKey })

describe('at the command line', () => {
  it('search lists the packs of the hub', async () => {
    const { exitCode, stdout } = await run('voices', 'search', 'en_US')
    expect(exitCode).toBe(0)
    expect(stdout).toContain('piper/en_US-amy-low')
    expect(stdout).toContain('piper/en_US-joe-medium')
  })

  it('pull shows the licence and installs the whole pack, and the running server speaks with it', async () => {
    const { exitCode, stderr, stdout } = await run('voices', 'pull', `piper/${amy}`)
    expect([exitCode, stdout + stderr]).toEqual([0, expect.stringContaining(`piper/${amy} is installed`)])
    expect(stderr).toContain('Licence: CC BY 4.0')
    expect(stderr).toContain(commit.slice(0, 12))
    const folder = join(sonant.dataDirectory, `voices/piper-${amy}`)
    expect((await readdir(folder)).sort()).toEqual(
      ['MODEL_CARD', `${amy}.onnx`, `${amy}.onnx.json`, 'source.json'].sort(),
    )
    const voice = await voiceOf(sonant, `piper-${amy}`, sonant.adminKey)
    const { run: heard } = await hear(sonant, { text: 'Hello.', voice_id: voice, speed: 2 })
    expect(heard.lengthScale).toBe(0.5)
  })

  it('pull of an installed pack changes nothing', async () => {
    const asked = hub.log.length
    const { exitCode } = await run('voices', 'pull', `piper/${amy}`)
    expect(exitCode).toBe(0)
    expect(hub.log.slice(asked).filter((line) => line.includes('/lfs/'))).toEqual([])
  })

  it('an unreachable hub is named, and no file remains', async () => {
    const before = await readdir(join(sonant.dataDirectory, 'voices'))
    const child = Bun.spawnSync(
      [executable, 'voices', 'pull', 'kokoro', '--data', sonant.dataDirectory, '--hub', 'http://127.0.0.1:1'],
      { env: { PATH: '/usr/bin:/bin' } },
    )
    expect(child.exitCode).not.toBe(0)
    expect(child.stderr.toString()).toContain('127.0.0.1:1')
    expect(await readdir(join(sonant.dataDirectory, 'voices'))).toEqual(before)
  })
})

describe('over HTTP', () => {
  it('a pack is installed in the background until its voices speak, and every operation is logged, also from the command line', async () => {
    const answers = [await install('kokoro'), await install(`piper/${joe}`)]
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    await until(async () => (await installs()).filter(({ state }) => state === 'installed').length === 2)
    const packs = await packsTried(sonant, ['kokoro', `piper-${joe}`], sonant.adminKey)
    expect(packs).toMatchObject({
      kokoro: { state: 'ready', family: 'kokoro', license: 'apache-2.0' },
      [`piper-${joe}`]: { state: 'ready', family: 'piper' },
    })
    const { answer } = await sonant.speak({ text: 'Hello there.', voice_id: 'kokoro-af-heart' })
    expect(answer).toMatchObject({ voice_id: 'kokoro-af-heart', units: 12 })
    const { run: heard } = await hear(sonant, { text: 'Hello.', voice_id: packs[`piper-${joe}`]!.voices[1] })
    expect(heard.speaker).toBe(1)
    const { items } = await sonant.admin('/audit-log')
    const pulls = (items as { act: string; subject: string }[]).filter(({ act }) => act === 'voices pull')
    expect(pulls.map(({ subject }) => subject).sort()).toEqual(['kokoro', `piper/${amy}`, `piper/${joe}`])
  })

  it('a silent model is installed, and refused with the reason', async () => {
    expect((await install('piper/en_US-broken-low')).status).toBe(202)
    const name = 'piper-en_US-broken-low'
    await until(async () => (await sonant.admin('/packs')).items.some((item: Install) => item.name === name))
    expect((await packsTried(sonant, [name], sonant.adminKey))[name]).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining('not finite'),
    })
  })

  it('an invalid name and a voice missing on the hub are reported', async () => {
    await expectError(install('../etc'), 400, 'invalid_params')
    expect((await install('piper/en_US-nobody-low')).status).toBe(202)
    await until(async () => (await installs()).some(({ state }) => state === 'failed'))
    expect((await installs()).find(({ state }) => state === 'failed')).toMatchObject({
      name: 'piper/en_US-nobody-low',
      reason: expect.stringContaining('en_US-nobody-low'),
    })
  })

  it('the tone converter is installed by name too', async () => {
    const made = join(sonant.directory, 'converter')
    await writeConverterPack(made)
    const entries = await Promise.all(
      (await readdir(made)).map(async (name) => [
        name,
        { bytes: await Bun.file(join(made, name)).bytes(), large: true },
      ]),
    )
    hub.repositories['seasonstudio/openvoice_tone_clone_onnx'] = Object.fromEntries(entries)
    expect((await install('openvoice-v2')).status).toBe(202)
    await until(async () => (await sonant.admin('/packs')).items.some((item: Install) => item.name === 'openvoice-v2'))
    const packs = await packsTried(sonant, ['openvoice-v2'], sonant.adminKey)
    expect(packs['openvoice-v2']).toMatchObject({ state: 'ready', family: 'converter' })
  })
})

describeWithAsset('hibari', 'Hibari', (folder) => {
  const repository = 'maureesewilliams/hibari'
  beforeAll(async () => {
    const heart = await Bun.file(join(folder, 'hibari/assets/hibari.onnx')).bytes()
    hub.licenses[repository] = 'apache-2.0'
    hub.repositories[repository] = {
      'README.md': { bytes: text('---\nlicense: apache-2.0\n---\n# hibari\n'), large: false },
      'model/heart.int8.onnx': { bytes: heart, large: true },
      'voices/bf_emma.int8.onnx': { bytes: heart.slice(1), large: true },
    }
  })

  it('is installed by name without a vocabulary, and speaks', async () => {
    expect((await install('hibari')).status).toBe(202)
    await until(async () => (await sonant.admin('/packs')).items.some(({ name }: Install) => name === 'hibari'))
    const { hibari } = await packsTried(sonant, ['hibari'], sonant.adminKey)
    expect(hibari).toMatchObject({ state: 'ready', family: 'hibari', license: 'apache-2.0', voices: ['hibari-heart'] })
    expect((await readdir(join(sonant.dataDirectory, 'voices/hibari'))).sort()).toEqual([
      ...['README.md', 'hibari.onnx', 'source.json'],
    ])
    const { answer } = await sonant.speak({ text: 'Hello there.', voice_id: 'hibari-heart' })
    expect(answer).toMatchObject({ voice_id: 'hibari-heart', units: 12 })
  })

  it('is found by search, and a file that is not the known voice is refused with the reason', async () => {
    const { stdout } = await run('voices', 'search', 'british', 'hibari')
    expect(stdout).toContain('hibari/emma')
    const { exitCode, stderr } = await run('voices', 'pull', 'hibari/emma')
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('has another bf_emma.int8.onnx')])
    expect(await readdir(join(sonant.dataDirectory, 'voices'))).not.toContain('hibari-emma')
  })
})
