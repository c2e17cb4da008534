/** A client with the types that `openapi-typescript` generates from the OpenAPI document with its default options. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript'
import ts from 'typescript'
import { describeApi } from '../../src/http/openapi/document'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-client-'))
  const description = describeApi('http://127.0.0.1:7788') as unknown as OpenAPI3
  await Bun.write(join(directory, 'sonant.ts'), astToString(await openapiTypescript(description)))
})
afterAll(() => rm(directory, { recursive: true }))

/** Compiles the program and returns the messages of the compiler. */
async function faultsOf(program: string): Promise<string[]> {
  const path = join(directory, 'client.ts')
  await Bun.write(path, program)
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
    skipLibCheck: true,
    lib: ['lib.es2022.d.ts'],
  }
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([path], options))
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

const header = `
import type { paths } from './sonant'
type Body<P extends keyof paths, M extends keyof paths[P]> =
  paths[P][M] extends { requestBody: { content: { 'application/json': infer B } } } ? B : never
type Answer<P extends keyof paths, M extends keyof paths[P]> =
  paths[P][M] extends { responses: { 200: { content: { 'application/json': infer A } } } } ? A : never
type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? Q : never
`

describe('a generated client', () => {
  it('compiles with only the required fields', async () => {
    const program = `${header}
export const speech: Body<'/api/v1/tts', 'post'> = { text: 'Hello' }
export const slow: Body<'/api/v1/tts', 'post'> = { text: 'Hello', voice_id: null, speed: 0.5, format: 'wav' }
export const estimate: Body<'/api/v1/tts/estimate', 'post'> = { text: 'Hello' }
export const byUrl: Body<'/api/v1/voices/clone', 'post'> = { name: 'Me', url: 'https://files.example/me.wav' }
export const byHash: Body<'/api/v1/voices/clone', 'post'> = { name: 'Me', hash: '0'.repeat(64) }
export const code: Body<'/api/v1/activation', 'post'> = { code: '0000-0000-0000-0000' }
export const account: Body<'/api/v1/admin/accounts', 'post'> = { name: 'Ada' }
export const changes: Body<'/api/v1/admin/accounts/{id}', 'patch'> = {}
export const adjustment: Body<'/api/v1/admin/accounts/{id}/adjust', 'post'> = { units: -5, reason: 'taken' }
export const key: Body<'/api/v1/admin/accounts/{id}/keys', 'post'> = { name: 'server', expires_at: '2999-01-01' }
export const keyChanges: Body<'/api/v1/admin/keys/{id}', 'patch'> = { expires_at: null, limits: { tts: 5 } }
export const codes: Body<'/api/v1/admin/codes', 'post'> = { units: 5 }
export const group: Body<'/api/v1/admin/groups', 'post'> = { name: 'gold' }
export const voice: Body<'/api/v1/admin/voices/{id}', 'patch'> = { active: false }
export const page: Query<'/api/v1/usage'> = {}
export const some: Query<'/api/v1/usage'> = { limit: 5, from: '2026-01-01' }
export const url = (answer: Answer<'/api/v1/tts', 'post'>): string => answer.url
export const left = (answer: Answer<'/api/v1/tts', 'post'>): number | null => answer.remaining
export const names = (answer: Answer<'/api/v1/voices', 'get'>): string[] => answer.voices.map((voice) => voice.id)
`
    expect(await faultsOf(program)).toEqual([])
  }, 60_000)

  it('does not compile with bodies that the service refuses', async () => {
    const bodies = ['{}', '{ text: 5 }', "{ text: 'Hello', format: 'ogg' }", "{ text: 'Hello', speed: '1' }"]
    const lines = bodies.map((body, i) => `export const speech${i}: Body<'/api/v1/tts', 'post'> = ${body}`)
    expect(await faultsOf([header, ...lines].join('\n'))).toHaveLength(bodies.length)
  }, 60_000)
})
