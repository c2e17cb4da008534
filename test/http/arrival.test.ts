/** Bodies as they arrive: no wait outlasts the deadline, refused data is removed, and other requests continue. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDeadline } from '../../src/deadline'
import { AppError } from '../../src/errors'
import { receiveBody, type ArrivalLimits } from '../../src/http/arrival'
import { readJsonObject } from '../../src/http/body'
import { readForm } from '../../src/http/form'
import { stateOf } from '../../src/http/request-state'
import { openReferences, type IncomingReference, type References } from '../../src/storage/references'

let directory: string
let references: References
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-arrival-'))
  references = openReferences({ directory })
})
afterAll(() => rm(directory, { recursive: true }))

const never = new Promise<never>(() => {})
const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
const end = '\r\n--b--\r\n'

type Source = {
  readonly chunks: readonly (string | Uint8Array)[]
  readonly isEndless?: boolean
  readonly fails?: boolean
}

/** A request with a body of these chunks, sent at once; the body then ends, breaks off or stalls. */
function requestOf({ chunks, isEndless = false, fails = false }: Source): Request {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk as string))
      if (fails) controller.error(new Error('reset'))
      else if (!isEndless) controller.close()
    },
  })
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  return new Request('http://a/', { method: 'POST', headers, body })
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(AppError)
  return (error as AppError).code
}

/** Receives a file as the service does, except for the given overrides. */
function receiving(change: Partial<IncomingReference> = {}): () => Promise<IncomingReference> {
  return async () => {
    const incoming = await references.receive()
    return { ...incoming, ...change, sizeBytes: 0 }
  }
}

/** Reads a form with one file. */
const read = (request: Request, receive: () => Promise<IncomingReference> = () => references.receive()) =>
  readForm(request, { deadline: stateOf(request).deadline, sizeBytesMax: 15 << 20, filesMax: 1, receive })

describe('a form', () => {
  it('that stands still ends with its operation, and its file is gone', async () => {
    const request = requestOf({ chunks: [head, 'x'.repeat(1000)], isEndless: true })
    stateOf(request).deadline = startDeadline(50)
    expect(await codeOf(read(request))).toBe('body_too_slow')
    expect(await readdir(directory)).toEqual([])
  })

  it.each<[what: string, receive: () => Promise<IncomingReference>]>([
    ['open', () => never],
    ['written', receiving({ write: () => never })],
    ['closed', receiving({ finish: () => never })],
  ])('whose file is never %s by the disk ends with its operation too', async (_, receive) => {
    const request = requestOf({ chunks: [head, 'x'.repeat(1000), end] })
    stateOf(request).deadline = startDeadline(50)
    expect(await codeOf(read(request, receive))).toBe('body_too_slow')
    for (const name of await readdir(directory)) await rm(join(directory, name))
  })

  it('passes on a disk error and removes the file', async () => {
    const write = () => Promise.reject(new AppError('storage_failed', 'full'))
    const request = requestOf({ chunks: [head, 'x'.repeat(1000), end] })
    expect(await codeOf(read(request, receiving({ write })))).toBe('storage_failed')
    expect(await readdir(directory)).toEqual([])
  })

  it('whose client leaves is given up, and its file is gone', async () => {
    const request = requestOf({ chunks: [head, 'x'.repeat(1000)], fails: true })
    expect(await codeOf(read(request))).toBe('client_gone')
    expect(await readdir(directory)).toEqual([])
  })

  it('is given up when the server stops, and its file is gone', async () => {
    const stop = new AbortController()
    const request = requestOf({ chunks: [head, 'x'.repeat(1000)], isEndless: true })
    stateOf(request).stopping = stop.signal
    const reading = codeOf(read(request))
    while ((await readdir(directory)).length === 0) await Bun.sleep(1)
    stop.abort()
    expect(await reading).toBe('shutting_down')
    expect(await readdir(directory)).toEqual([])
  })

  it('is taken whole, whatever begins of its boundary are in the file', async () => {
    const content = Buffer.concat(
      Array.from({ length: 3000 }, (_, i) =>
        Buffer.from(`\r\n--${'b'.repeat(i % 2 ? 0 : 1)}`.slice(0, 1 + (i % 4)) + i),
      ),
    )
    const [file] = (await read(requestOf({ chunks: [head, content, end] }))).files
    expect(file!.sha256).toBe(new Bun.CryptoHasher('sha256').update(content).digest('hex'))
    await file!.discard()
  })
})

it('a JSON body that stands still ends with its operation', async () => {
  const request = requestOf({ chunks: ['{"text":'], isEndless: true })
  stateOf(request).deadline = startDeadline(50)
  expect(await codeOf(readJsonObject(request))).toBe('body_too_slow')
})

describe('others get their turn', () => {
  const limits: ArrivalLimits = {
    sizeBytesMax: 64 << 20,
    deadline: startDeadline(600_000),
    tooLarge: () => new AppError('payload_too_large', 'large'),
    tooSlow: () => new AppError('body_too_slow', 'slow'),
  }

  /** Counts the turns of the event loop during the upload, and the largest chunk. */
  async function turnsDuring(chunks: readonly Uint8Array[]) {
    let turns = 0
    let isOver = false
    let largestBytes = 0
    let sizeBytes = 0
    const turn = () => {
      turns++
      if (!isOver) setTimeout(turn, 0)
    }
    setTimeout(turn, 0)
    await receiveBody(requestOf({ chunks }), limits, (piece) => {
      sizeBytes += piece.length
      largestBytes = Math.max(largestBytes, piece.length)
    })
    isOver = true
    expect(sizeBytes).toBe(chunks.reduce((sum, { length }) => sum + length, 0))
    return { turns, largestBytes }
  }

  it('between a thousand pieces of one byte', async () => {
    const { turns } = await turnsDuring(Array.from({ length: 1000 }, () => Buffer.from('a')))
    expect(turns).toBeGreaterThanOrEqual(20)
  })

  it('within one piece of 16 MiB', async () => {
    const { turns, largestBytes } = await turnsDuring([new Uint8Array(16 << 20)])
    expect(turns).toBeGreaterThanOrEqual(20)
    expect(largestBytes).toBeLessThanOrEqual(64 << 10)
  })
})
