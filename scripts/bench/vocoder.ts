/**
 * Spectra of Hibari's Heart to samples, on one thread: beside its graph on onnxruntime, and beside the signal processing
 * of its Python package, which the folder `HIBARI_PACKAGE` contains, with NumPy and, if there, with SciPy's faster transforms.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { f0Output, spectraOutputs } from '../../src/speech/models/hibari'
import { openRuntime } from '../../src/speech/onnx/runtime'
import { hopSamples, vocoderRate } from '../../src/speech/vocoder/format'
import { joinRows } from '../../src/speech/vocoder/rows'
import { loadVocoder } from '../../src/speech/vocoder/vocoder'
import { assets, cacheDirectory, folderOf } from '../assets/manifest'
import { type BenchRow, printTable } from './report'

const phonemes =
  'ðə kwˈɪk bɹˈWn fˈɑks ʤˈʌmps ˈOvəɹ ðə lˈAzi dˈɔɡ, ænd dˈɑktəɹ smˈɪθ pˈAd θɹˈi dˈɑləɹz ænd fˈɪfti sˈɛnts.'
const warmUpRounds = 10
const rounds = 12

/** Reads the files in the folder argv[1], prints the seconds of its best run. argv[3]: whether SciPy may be used. */
const python = `
import sys, time
import numpy as np
if sys.argv[3] == "numpy":
    sys.modules["scipy.fft"] = None
sys.path.insert(0, sys.argv[2] + "/hibari")
import dsp
read = lambda name: np.fromfile(f"{sys.argv[1]}/{name}", np.float32)
f0 = read("f0")
lh, th, ln, lr, phi = (read(name).reshape(601, -1) for name in ("lh", "theta", "ln", "lr", "phi"))
rng = np.random.default_rng(1)
best = 1e9
for _ in range(6):
    start = time.perf_counter()
    dsp.synth(lh, th.copy(), ln, lr, phi, f0, rng)
    best = min(best, time.perf_counter() - start)
print(best)
`

export async function benchVocoder(): Promise<BenchRow[]> {
  const folder = join(folderOf('hibari', assets['hibari']!, cacheDirectory), 'hibari/assets')
  const name = 'spectra to samples, one thread'
  if (!(await Bun.file(join(folder, 'hibari.onnx')).exists()))
    return [{ name: `${name} (no asset hibari)`, value: null, unit: 'ms/s', reference: null, ratio: null, goal: null }]
  const work = await mkdtemp(join(tmpdir(), 'sonant-bench-vocoder-'))
  try {
    const graph = await openGraph(folder, work)
    const outputs = await graph()
    const numbers = (output: string) => outputs[output]!.data as Float32Array
    for (const output of [...spectraOutputs, f0Output]) await Bun.write(join(work, output), numbers(output))
    const f0 = numbers(f0Output)
    const spectra = { rows: joinRows(spectraOutputs.map(numbers), f0.length), f0 }
    const vocoder = await loadVocoder()
    const packageFolder = process.env['HIBARI_PACKAGE']
    const [ours, graphs]: [number[], number[]] = [[], []]
    const theirs: Record<string, number[]> = { numpy: [], scipy: [] }
    for (let round = 0; round < warmUpRounds; round++) vocoder(spectra)
    for (let round = 0; round < rounds; round++) {
      graphs.push(await timeSeconds(graph))
      ours.push(await timeSeconds(async () => vocoder(spectra)))
      if (packageFolder && round % 4 === 0)
        for (const [backend, times] of Object.entries(theirs)) times.push(runPython([work, packageFolder, backend]))
    }
    const seconds = (spectra.f0.length * hopSamples) / vocoderRate
    // The fastest round is the least disturbed by other programs.
    const perSecond = (times: number[]) => (Math.min(...times) * 1000) / seconds
    const value = perSecond(ours)
    const row = (other: string, reference: number): BenchRow => {
      return { name: `${name} / ${other}`, value, unit: 'ms/s', reference, ratio: value / reference, goal: null }
    }
    return [
      row('graph', perSecond(graphs)),
      ...(packageFolder
        ? Object.entries(theirs).map(([backend, times]) => row(`Python package, ${backend}`, perSecond(times)))
        : []),
    ]
  } finally {
    await rm(work, { recursive: true })
  }
}

async function openGraph(folder: string, work: string) {
  const runtime = await openRuntime({ directory: work, provider: 'cpu', threads: 1 })
  const session = await runtime.openSession(join(folder, 'hibari.onnx'))
  const vocabulary = (await Bun.file(join(folder, 'vocab.json')).json()) as Record<string, number>
  const ids = [0, ...[...phonemes].map((symbol) => vocabulary[symbol]!), 0]
  const feeds = { ids: runtime.int64(ids, [1, ids.length]), speed: runtime.float32(Float32Array.of(1), [1]) }
  return () => session.run(feeds)
}

function runPython(args: readonly string[]): number {
  const { stdout, stderr, exitCode } = Bun.spawnSync(['python3', '-c', python, ...args])
  if (exitCode !== 0) throw new Error(`python3 ended with ${exitCode}: ${stderr.toString().slice(-400)}`)
  return Number(stdout.toString())
}

async function timeSeconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}

if (import.meta.main) printTable(await benchVocoder())
