/**
 * Chooses the form of a model's convolutions: each that its graph may have speaks a word, and the one with the least
 * processor time is taken. This runs in its own process, so that the forms do not count as memory of the model.
 */
import { join } from 'node:path'
import { formsOf } from '../speech/onnx/convolutions'
import { readGraphFile } from '../speech/onnx/file'
import { openFileBytes } from '../speech/onnx/wire'
import type { ConvolutionForm, ModelFiles } from '../speech/voice'

/** Rounds after the first, until the forms have taken enough processor time together. */
const roundsMin = 1
const roundsMax = 12
const enoughSeconds = 2
/** Another form must be this much faster than that of the file, so that chance does not choose it. */
const worthwhile = 0.97

/** Processor time and sound of one form. */
export type Heard = { readonly form: ConvolutionForm; readonly seconds: number; readonly samples: Float32Array }

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
 * `load`: loads the model with its convolutions in this form, and returns a function that speaks a word. All forms are
 * open at the same time, so that what else the machine does affects each of them alike.
 */
export async function chooseForm(
  forms: readonly ConvolutionForm[],
  load: (form: ConvolutionForm) => Promise<() => Promise<Float32Array>>,
): Promise<ConvolutionForm> {
  const heard: (Heard & { readonly speak: () => Promise<Float32Array> })[] = []
  for (const form of ['as_exported', ...forms] as const) {
    const speak = await load(form)
    heard.push({ form, speak, samples: await speak(), seconds: Infinity })
  }
  let spentSeconds = 0
  for (let round = 0; round < roundsMax && (round < roundsMin || spentSeconds < enoughSeconds); round++)
    for (const [index, one] of heard.entries()) {
      const before = cpuSeconds()
      await one.speak()
      const seconds = cpuSeconds() - before
      spentSeconds += seconds
      heard[index] = { ...one, seconds: Math.min(seconds, one.seconds) }
    }
  return fastestForm(heard)
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

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
