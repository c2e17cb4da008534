/** The memory budget of models, with processes that only hold a load. */
import { afterEach, describe, expect, it } from 'bun:test'
import type { VoiceSpec } from '../../src/speech/voice'
import { createModelMemory, type ModelMemory } from '../../src/workers/pool/model-memory'
import { modelLoad, type Load } from '../../src/workers/pool/models'
import type { ProcessSet } from '../../src/workers/pool/process-set'
import type { WorkerProcess } from '../../src/workers/worker-process'
import { createLogEvents } from './log-events'

type Held = Partial<Pick<Load, 'isLoading' | 'loadedAtMs' | 'usedAtMs'>> & { readonly busy?: boolean }

const memories: ModelMemory[] = []
afterEach(() => {
  for (const memory of memories.splice(0)) memory.close()
})

const longAgoMs = -60_000

function model(graph: string, memoryBytes = 10, version = '1'): VoiceSpec {
  const files = { directory: '/packs', graph, version, memoryBytes }
  return { id: graph, engine: 'piper', language: 'en', sampleRate: 16_000, settings: { voice: 'v' }, model: files }
}

/** A budget of 30 bytes. `inUse`: the graphs whose processes an open job has used. */
function setUp(held: readonly (readonly [VoiceSpec, Held?])[], inUse: readonly string[] = []) {
  const events = createLogEvents()
  const loads = new Map<WorkerProcess, Load>()
  for (const [voice, { busy = false, ...state } = {}] of held) {
    const worker = {
      ...{ pid: loads.size, busy, gone: false, kill: () => void (worker.gone = true) },
    } as { -readonly [K in keyof WorkerProcess]: WorkerProcess[K] }
    const load = modelLoad({ key: voice.id, voice, deviceId: undefined })
    loads.set(worker, { ...load, isLoading: false, loadedAtMs: longAgoMs, usedAtMs: longAgoMs, ...state })
  }
  const all = [...loads.keys()]
  const loadOf = (worker: WorkerProcess) => loads.get(worker)!
  const idle = () => all.filter((worker) => !worker.busy && !worker.gone)
  const processes = { all, loadOf, idle, loads: () => [...loads.values()] } as unknown as ProcessSet
  const isInUse = (worker: WorkerProcess) => inUse.includes(loadOf(worker).key!)
  const memory = createModelMemory({ processes, memoryMaxBytes: 30, idleMs: 600_000, isInUse, log: events.log })
  memories.push(memory)
  const unloaded = () => events.of('model unloaded').map(({ model, reason }) => `${model}: ${reason}`)
  return { memory, unloaded }
}

describe('room for a model', () => {
  it('is there while all models fit, those that are about to start included', () => {
    const { memory, unloaded } = setUp([[model('a')]])
    expect(memory.reserve('b', 10)).toBe(true)
    expect(memory.reserve('c', 10)).toBe(true)
    expect(memory.reserve('d', 11)).toBe(false)
    expect([memory.isReserved('c'), memory.isReserved('d'), memory.reservations]).toEqual([true, false, 2])
    // Only the idle model could go, and did.
    expect(unloaded()).toEqual(['/packs/a: to make room'])
    memory.release('c')
    expect(memory.reserve('d', 20)).toBe(true)
  })

  it('is made by unloading idle models, least recently used first, and no more than necessary', () => {
    const { memory, unloaded } = setUp([
      [model('a'), { usedAtMs: -1000 }],
      [model('b'), { usedAtMs: -3000 }],
      [model('c'), { usedAtMs: -2000 }],
    ])
    expect(memory.reserve('d', 20)).toBe(true)
    expect(unloaded()).toEqual(['/packs/b: to make room', '/packs/c: to make room'])
  })

  it('is not made of busy models, nor of those that were loaded just now', () => {
    const { memory, unloaded } = setUp([
      [model('a'), { busy: true }],
      [model('b', 20), { loadedAtMs: performance.now() }],
    ])
    expect(memory.reserve('c', 10)).toBe(false)
    expect(unloaded()).toEqual([])
  })

  it('is made by idle processes that have another version of the model', () => {
    const { memory, unloaded } = setUp([[model('a')], [model('b')], [model('b', 10, '2'), { busy: true }]])
    memory.unloadOtherVersions(model('b', 10, '3'))
    expect(unloaded()).toEqual(['/packs/b: its files have changed'])
  })
})

describe('a model that is no longer installed', () => {
  const files = (voice: VoiceSpec) => voice.model!

  it('is unloaded at once when it is idle or still loading, and its neighbours stay', () => {
    const [a, b, c] = [model('a'), model('b'), model('c')]
    const { memory, unloaded } = setUp([[a], [b], [c, { busy: true, isLoading: true }]])
    memory.keepOnly([files(a)])
    expect(unloaded()).toEqual(['/packs/b: not installed any more', '/packs/c: not installed any more'])
  })

  it('stays while it works or an open job has used it, unless it is installed again', () => {
    const [a, b] = [model('a'), model('b')]
    const inUse = ['a']
    const { memory, unloaded } = setUp([[a], [b, { busy: true }]], inUse)
    memory.keepOnly([])
    expect(unloaded()).toEqual([])
    memory.keepOnly([files(a)])
    inUse.pop()
    memory.unloadOutdated()
    expect(unloaded()).toEqual([])
    memory.keepOnly([])
    expect(unloaded()).toEqual(['/packs/a: not installed any more'])
  })
})
