/**
 * Chooses the form of a model's convolutions: each that its graph may have speaks the same words, in turn, and the one
 * with the least processor time is taken. This runs in its own process, so that the forms do not count as memory of the
 * model.
 */
import { join } from 'node:path'
import { formsOf } from '../speech/onnx/convolutions'
import { readGraphFile } from '../speech/onnx/file'
import { openFileBytes } from '../speech/onnx/wire'
import type { ConvolutionForm, ModelFiles } from '../speech/voice'
import { beginningOf } from './probe-texts'

/**
 * A run takes about this long. In a word of 0.2 s the part before the vocoder, which is alike in all forms, takes so much
 * of the time that chance would decide.
 */
const runSeconds = 0.1
const roundsMax = 8
/** No further round begins after this much processor time. */
const enoughSeconds = 2
/** Another form must be this much faster than that of the file, so that chance does not choose it. */
const worthwhile = 0.97
/** A form is given up when it took this many times as long as the fastest in both of two rounds, or in each of more. */
const lostAfterTwo = 1.5
const lostAfterMore = 1 / worthwhile

/** Processor time and sound of one form. */
export type Heard = { readonly form: ConvolutionForm; readonly seconds: number; readonly samples: Float32Array }

export type Speak = (text: string) => Promise<Float32Array>

/** `rounds`: the processor time of each, in seconds. */
type Candidate = Omit<Heard, 'seconds'> & { readonly speak: Speak; readonly rounds: number[] }

/** The forms that the model's convolutions may have besides that of the file. */
export function formsOfModel({
  directory,
  graph,
}: Pick<ModelFiles, 'directory' | 'graph'>): readonly ConvolutionForm[] {
  const path = join(directory, graph)
  using file = openFileBytes(path)
  return formsOf(file, readGraphFile(path))
}

/**
 * `text`: its beginning is spoken. `load`: loads the model with its convolutions in this form. All forms are open at the
 * same time, so that what else the machine does affects each of them alike. `cpuSeconds`: the processor time so far.
 */
export async function chooseForm(
  forms: readonly ConvolutionForm[],
  text: string,
  load: (form: ConvolutionForm) => Promise<Speak>,
  cpuSeconds: () => number = processSeconds,
): Promise<ConvolutionForm> {
  const timed = async (speak: Speak, words: string) => {
    const before = cpuSeconds()
    const samples = await speak(words)
    return { samples, seconds: cpuSeconds() - before }
  }
  const word = beginningOf(text)
  const candidates: Candidate[] = []
  for (const form of ['as_exported', ...forms] as const) {
    const speak = await load(form)
    const { samples, seconds } = await timed(speak, word)
    candidates.push({ form, speak, samples, rounds: [seconds] })
  }
  const wordSeconds = Math.min(...candidates.map(({ rounds }) => rounds[0]!))
  const words = beginningOf(text, (word.length * runSeconds) / wordSeconds)
  if (words !== word) for (const { rounds } of candidates) rounds.length = 0

  let left: readonly Candidate[] = candidates
  let spentSeconds = 0
  for (let round = 0; round < roundsMax && left.length > 1 && spentSeconds < enoughSeconds; round++) {
    // Always in the same order: what disturbs a form in two rounds then disturbs the others between them, too.
    for (const { speak, rounds } of left) {
      const { seconds } = await timed(speak, words)
      rounds.push(seconds)
      spentSeconds += seconds
    }
    left = withoutLost(left)
  }
  return fastestForm(candidates.map((one) => ({ ...one, seconds: secondsOf(one) })))
}

/** The least disturbed round. */
const secondsOf = ({ rounds }: Candidate) => Math.min(...rounds)

/** All have had the same number of rounds. */
function withoutLost(left: readonly Candidate[]): readonly Candidate[] {
  const best = left.toSorted((a, b) => secondsOf(a) - secondsOf(b))[0]!
  const count = best.rounds.length
  if (count < 2) return left
  const factor = count === 2 ? lostAfterTwo : lostAfterMore
  return left.filter((one) => one === best || one.rounds.some((seconds, i) => seconds <= factor * best.rounds[i]!))
}

/**
 * `heard`: the form of the file first. Some processors saturate the sums of signed products, so these must give the same
 * sound as unsigned ones.
 */
export function fastestForm(heard: readonly Heard[]): ConvolutionForm {
  const exact = heard.find(({ form }) => form === 'unsigned_products')?.samples
  const right = heard.filter(({ form, samples }) => form !== 'signed_products' || areEqual(samples, exact))
  const [exported, ...others] = right as [Heard, ...Heard[]]
  const best = others.toSorted((a, b) => a.seconds - b.seconds)[0]
  return best && best.seconds < worthwhile * exported.seconds ? best.form : exported.form
}

function areEqual(a: Float32Array, b: Float32Array | undefined): boolean {
  return b !== undefined && a.length === b.length && a.every((value, index) => value === b[index])
}

function processSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
