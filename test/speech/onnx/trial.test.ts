import { describe, expect, it } from 'bun:test'
import { tryRuntime, trialGraph } from '../../../src/speech/onnx/trial'
import { createGraph } from '../../onnx/graph'

describe('the trial of a provider', () => {
  it('runs the graph that the builder of the tests writes', () => {
    const g = createGraph()
    const x = g.input('x', 'float32', ['n', 'n'])
    g.output('y', g.op('MatMul', [x, x]), ['n', 'n'])
    expect(g.model()).toEqual(trialGraph)
  })

  it('computes on the CPU, and says what is wrong with a provider that is not here', async () => {
    expect((await tryRuntime({ directory: '/nowhere', provider: 'cpu', threads: 1 })).runMs).toBeGreaterThan(0)
    await expect(tryRuntime({ directory: '/nowhere', provider: 'coreml', threads: 1 })).rejects.toThrow('coreml')
  })
})
