import { describe, expect, it } from 'bun:test'
import { tryRuntime, trialGraph } from '../../../src/speech/onnx/trial'
import { createGraph } from '../../onnx/graph'

describe('the trial of a provider', () => {
  it('runs the graph of the test builder', () => {
    const g = createGraph()
    const x = g.input('x', 'float32', ['n', 'n'])
    g.output('y', g.op('MatMul', [x, x]), ['n', 'n'])
    expect(g.model()).toEqual(trialGraph)
  })

  it('computes on the CPU and reports the fault of a missing provider', async () => {
    expect((await tryRuntime({ directory: '/nowhere', provider: 'cpu', threads: 1 })).runMs).toBeGreaterThan(0)
    await expect(tryRuntime({ directory: '/nowhere', provider: 'coreml', threads: 1 })).rejects.toThrow('coreml')
  })
})
