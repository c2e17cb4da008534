/**
 * `bun scripts/gpu-check.ts [--provider webgpu|cuda|cpu] [--ort-library PATH]`: checks that the GPU of this machine computes
 * neural voices with the same sound as the CPU, and measures the speed by the number of sentences in a batch. Runs `sonant
 * doctor`, then HiFi-GAN and a Piper-shaped voice made with it on both, then speaks through the compiled server. Exits with
 * 1 when the provider does not work, falls back, or sounds different.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { computeProviders } from '../src/config'
import type { Provider } from '../src/speech/onnx/runtime-options'
import { readWav } from '../test/sound'
import { vocoder, writeHeavyPack } from './bench/graph'
import { startUntilReady } from './bench/process'
import { executable } from './bench/server'
import { sentence } from './bench/texts'
import type { GpuResult, GpuTask } from './gpu-check-process'

const batches = [1, 2, 4, 8]
/** Largest difference relative to the sound: about the rounding of a soft sound to 16 bits. */
const agreementMinDb = 40
const installTimeoutMs = 120_000
const pollMs = 200
const requests = 8

type Wanted = { readonly provider: Provider; readonly libraryPath: string | undefined; readonly directory: string }

function readArguments(): Pick<Wanted, 'provider' | 'libraryPath'> {
  const options = { provider: { type: 'string', default: 'webgpu' }, 'ort-library': { type: 'string' } } as const
  const { values } = parseArgs({ options })
  const providers = computeProviders.filter((name) => name !== 'auto')
  const provider = providers.find((name) => name === values.provider)
  if (!provider) throw new Error(`--provider: found "${values.provider}"; allowed is ${providers.join(', ')}`)
  return { provider, libraryPath: values['ort-library'] }
}

function settingsOf({ provider, libraryPath }: Pick<Wanted, 'provider' | 'libraryPath'>): string[] {
  return ['--provider', provider, ...(libraryPath ? ['--ort-library', libraryPath] : [])]
}

async function check(wanted: Wanted): Promise<boolean> {
  const sonant = await executable()
  const doctor = Bun.spawn([sonant, 'doctor', '--data', join(wanted.directory, 'doctor'), ...settingsOf(wanted)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if ((await doctor.exited) !== 0) {
    console.log(
      `\n${wanted.provider} does not work here; the last line above says what a server would do. Nothing was measured.`,
    )
    return false
  }
  const pack = await writeHeavyPack()
  if (!pack) return false
  try {
    const graphs = [
      ['hifigan', vocoder],
      ['piper', pack.graph],
    ] as const
    let agrees = true
    for (const [graph, path] of graphs) agrees = (await compareGraph(wanted, graph, path)) && agrees
    return (await compareServers(wanted, sonant, pack.directory)) && agrees
  } finally {
    await rm(dirname(pack.directory), { recursive: true })
  }
}

/** Prints a line per batch. Returns whether all agree. */
async function compareGraph(wanted: Wanted, graph: GpuTask['graph'], path: string): Promise<boolean> {
  const { provider, libraryPath, directory } = wanted
  console.log(`\n${graph}, real-time factor (seconds of work per second of sound)`)
  let agrees = true
  for (const batch of batches) {
    const measure = async (name: Provider) => {
      const outputPath = join(directory, `${graph}-${batch}-${name}`)
      const { seconds, audioSeconds } = await runGraph({ graph, path, provider: name, libraryPath, batch, outputPath })
      return { factor: seconds / audioSeconds, samples: new Float32Array(await Bun.file(outputPath).arrayBuffer()) }
    }
    const cpu = await measure('cpu')
    const other = await measure(provider)
    const agreementDb = compare(cpu.samples, other.samples)
    const isGood = agreementDb >= agreementMinDb
    agrees &&= isGood
    const times = (cpu.factor / other.factor).toFixed(2)
    console.log(
      `  batch of ${batch}: cpu ${cpu.factor.toFixed(4)}, ${provider} ${other.factor.toFixed(4)}, ${times} times as fast, ${describe(agreementDb)}${isGood ? '' : ': DIFFERENT'}`,
    )
  }
  return agrees
}

async function runGraph(task: GpuTask): Promise<GpuResult> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'gpu-check-process.ts'), JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0)
    throw new Error(
      `${task.graph} on ${task.provider}, batch of ${task.batch}: the process ended with ${child.exitCode}`,
    )
  return JSON.parse(text) as GpuResult
}

type Answer = { readonly url: string }
type Compute = { readonly provider: string; readonly device: string; readonly fallback: boolean }

/** Compares a sentence from servers on the CPU and on the provider, then requests several at once in batches. */
async function compareServers(wanted: Wanted, sonant: string, pack: string): Promise<boolean> {
  const onCpu = await withServer({ ...wanted, provider: 'cpu', libraryPath: undefined }, sonant, pack, 1, speakOnce)
  const { wav, compute } = await withServer(wanted, sonant, pack, 1, speakOnce)
  console.log(`\nThe server computes on ${compute.provider}: ${compute.device}`)
  if (compute.fallback || compute.provider !== wanted.provider) {
    console.log(`It fell back: ${wanted.provider} was asked for.`)
    return false
  }
  const agreementDb = compare(onCpu.wav, wav)
  console.log(`  one sentence, as wav: ${describe(agreementDb)}`)
  for (const batch of batches) {
    const factor = await withServer(wanted, sonant, pack, batch, speakTogether)
    console.log(`  ${requests} requests at once, --batch-max ${batch}: real-time factor ${factor.toFixed(4)}`)
  }
  return agreementDb >= agreementMinDb
}

type Client = { ask<T>(path: string, body?: unknown): Promise<T>; speak(text: string): Promise<Float32Array> }

async function withServer<T>(
  wanted: Wanted,
  sonant: string,
  pack: string,
  batch: number,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const data = await mkdtemp(join(wanted.directory, 'data-'))
  await cp(pack, join(data, 'voices/heavy'), { recursive: true })
  const command = [sonant, 'serve', '--port', '0', '--data', data, '--workers', '1', '--limit-tts', '0']
  const { child, ready } = await startUntilReady([...command, '--batch-max', `${batch}`, ...settingsOf(wanted)], {
    stderr: Bun.file(join(data, 'log')),
  })
  const ask = async <A>(path: string, body?: unknown): Promise<A> => {
    const response = await fetch(`${ready.base_url}${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${ready.api_key}` },
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as A
  }
  try {
    const voiceId = await installedVoice(ask)
    const speak = async (text: string) => {
      const { url } = await ask<Answer>('/api/v1/tts', { text, voice_id: voiceId, format: 'wav' })
      return readWav(await (await fetch(url)).bytes()).samples
    }
    // The model is loaded by the first one.
    await speak(sentence(100))
    return await use({ ask, speak })
  } finally {
    child.kill('SIGTERM')
    await child.exited
  }
}

async function installedVoice(ask: Client['ask']): Promise<string> {
  type Packs = { items: { state: string; reason: string | null; voices: string[] }[] }
  const endAtMs = performance.now() + installTimeoutMs
  while (performance.now() < endAtMs) {
    const { items } = await ask<Packs>('/api/v1/admin/packs')
    const [item] = items
    if (item?.state === 'refused') throw new Error(`the voice was refused: ${item.reason}`)
    if (item?.state === 'ready') return item.voices[0]!
    await Bun.sleep(pollMs)
  }
  throw new Error(`The voice was not ready within ${installTimeoutMs / 1000} s.`)
}

async function speakOnce({ ask, speak }: Client) {
  const wav = await speak(sentence(100))
  const { compute } = await ask<{ compute: Compute }>('/api/v1/admin/compute')
  return { wav, compute }
}

/** Seconds of work per second of sound. */
async function speakTogether({ speak }: Client): Promise<number> {
  const startedAtMs = performance.now()
  const sounds = await Promise.all(Array.from({ length: requests }, (_, i) => speak(sentence(100, i + 1))))
  const seconds = (performance.now() - startedAtMs) / 1000
  return seconds / (sounds.reduce((sum, samples) => sum + samples.length, 0) / wavSampleRate)
}

const wavSampleRate = 44_100

/** Returns the level of the sound above the difference, in dB; −∞ for different lengths and values that are not finite. */
function compare(expected: Float32Array, found: Float32Array): number {
  if (expected.length !== found.length) return -Infinity
  let [signal, error] = [0, 0]
  for (const [i, value] of expected.entries()) {
    signal += value ** 2
    error += (value - found[i]!) ** 2
  }
  const ratioDb = 10 * Math.log10(signal / error)
  return Number.isNaN(ratioDb) ? (signal > 0 && error === 0 ? Infinity : -Infinity) : ratioDb
}

function describe(agreementDb: number): string {
  if (agreementDb === Infinity) return 'the same samples'
  if (agreementDb === -Infinity) return 'another length, or no numbers'
  return `what differs is ${agreementDb.toFixed(0)} dB below the sound`
}

const directory = await mkdtemp(join(tmpdir(), 'sonant-gpu-check-'))
try {
  const works = await check({ ...readArguments(), directory })
  console.log(works ? '\nIt works.' : '\nIt does NOT work.')
  process.exitCode = works ? 0 : 1
} catch (error) {
  console.log(`\nIt does NOT work: ${(error as Error).message}`)
  process.exitCode = 1
} finally {
  await rm(directory, { recursive: true })
}
