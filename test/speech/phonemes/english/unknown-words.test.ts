/** The network for unknown words, with a transparent graph. */
import { expect, it } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRuntime } from '../../../../src/speech/onnx/runtime'
import { UnknownWords } from '../../../../src/speech/phonemes/english/unknown-words'
import { networkModel } from '../../../onnx/hibari'

const runtime = openRuntime({ directory: mkdtempSync(join(tmpdir(), 'sonant-ort-')), provider: 'cpu', threads: 1 })
const alphabet = { letters: 'abc', phonemes: 'æbk', lettersMax: 4 }

it('reads runs of equal ids as one, without letters that it lacks and those after its limit', async () => {
  const network = await UnknownWords.open(await runtime, networkModel(), alphabet)
  expect(await network.read('cabba')).toBe('kæb')
  expect(await network.read('xb')).toBe('b')
  expect([network.knows('cab'), network.knows("c'ab"), network.knows('cat')]).toEqual([true, true, false])
  await network.close()
})

it('is refused with other inputs or outputs', async () => {
  await expect(UnknownWords.open(await runtime, networkModel('float32'), alphabet)).rejects.toThrow('must map int64')
})
