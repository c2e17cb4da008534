/** Every operation enters through its deadline, access rule, limit and input, as the table of operations says. */
import { describe, expect, it } from 'bun:test'
import { Elysia } from 'elysia'
import { startDeadline } from '../../src/deadline'
import { AppError } from '../../src/errors'
import type { Access } from '../../src/http/access'
import { addRoutes, createPathFinder, type Call, type Handlers } from '../../src/http/routes'
import { administrative } from '../../src/operations/entry'
import { operationList, operations, type ListedOperation } from '../../src/operations/table'

type Refusal = () => never

/** Routes whose handlers and checks only note that they ran. `refuse`: what the access check throws. */
function makeRoutes(refuse?: Refusal) {
  const events: string[] = []
  const calls: Call[] = []
  const handlers = Object.fromEntries(
    operationList.map(({ id }) => [
      id,
      (call: Call) => {
        events.push(id)
        calls.push(call)
        return { ok: true }
      },
    ]),
  ) as unknown as Handlers
  const access = {
    enter(_request: Request, { access: rule, limit }: ListedOperation) {
      events.push(`enter as ${rule}, limit ${limit}`)
      refuse?.()
      return { keyId: 'k' }
    },
  } as unknown as Access
  const begin = (_request: Request, operation: string) => {
    events.push(`begin ${operation}`)
    return startDeadline(1000)
  }
  const routes = new Elysia()
  addRoutes(routes, { access, begin }, handlers)
  return { routes, events, calls }
}

function requestOf({ method, path, body, access }: ListedOperation, sent: string = '{"name":"n"}') {
  const hasBody = body !== undefined || ((access === 'administrator' || access === 'own keys') && method !== 'GET')
  const url = `http://sonant.example${path.replace(/\{\w+\}/, 'the%20id')}?limit=7&q=12`
  return { request: new Request(url, { method, ...(hasBody && { body: sent }) }), hasBody }
}

const bound = operationList.filter(({ id }) => !id.endsWith('Demo'))

describe('every operation', () => {
  it.each(bound)('begins, checks the caller, reads its input and runs, in this order: $id', async (operation) => {
    const { routes, events, calls } = makeRoutes()
    const { request, hasBody } = requestOf(operation)
    const { deadline, access, limit, id, status = 200, body, query, parameter, mount, path } = operation
    const response = await routes.handle(request)
    expect(response.status).toBe(status)
    expect(events).toEqual([...(deadline ? [`begin ${deadline}`] : []), `enter as ${access}, limit ${limit}`, id])
    const [call] = calls
    // The rest of a path is not decoded.
    const takesRest = mount !== undefined || path.endsWith('{path}')
    expect(call!.id).toBe(parameter ? (takesRest ? 'the%20id' : 'the id') : '')
    if (body?.form) expect(call!.fields).toEqual({})
    else if (hasBody) expect(call!.fields).toEqual({ name: 'n' })
    else expect(call!.fields).toEqual({ q: '12', limit: query && 'limit' in query ? 7 : '7' })
  })

  it.each(bound)('neither reads the body of a refused caller nor runs: $id', async (operation) => {
    const { routes, events } = makeRoutes(() => {
      throw new AppError('missing_api_key', 'No key.')
    })
    const { request } = requestOf(operation, '{"broken')
    const response = await routes.handle(request)
    expect(await response.text()).toBe('No key.')
    expect(request.bodyUsed).toBe(false)
    expect(events).not.toContain(operation.id)
  })
})

it('the answer of a handler is awaited before the hooks of the server see it', async () => {
  const handlers = Object.fromEntries(operationList.map(({ id }) => [id, async () => ({ id })]))
  const seen: unknown[] = []
  const app = new Elysia()
  app.onAfterHandle(({ responseValue }) => void seen.push(responseValue))
  const access = { enter: () => undefined } as unknown as Access
  addRoutes(app, { access, begin: () => startDeadline(1000) }, handlers as unknown as Handlers)
  for (const path of ['/healthz', '/api/v1/usage/x', '/audio/a.mp3'])
    await app.handle(new Request(`http://a.bcde${path}`))
  expect(seen).toEqual([{ id: 'getHealth' }, { id: 'getUsageRecord' }, { id: 'getAudio' }])
})

describe('the table of operations', () => {
  it('and the handlers have the same ids, checked by the compiler', () => {
    // @ts-expect-error an operation without a handler
    const missing: Handlers = {}
    // @ts-expect-error a handler without an operation
    const extra = { nothing: () => 'x' } satisfies Partial<Handlers>
    // @ts-expect-error the caller of a public operation
    const anonymous = { getHealth: ({ caller }) => caller.keyId } satisfies Partial<Handlers>
    // @ts-expect-error a property that no entry has
    const misspelt = administrative('GET /admin/x', 'X', { answer: 'X', comand: { words: 'x y' } })
    expect([missing, extra, anonymous, misspelt]).toHaveLength(4)
  })

  it('has one operation per method and path, with the parameter that its path names', () => {
    const routes = operationList.map(({ route }) => route)
    expect(new Set(routes).size).toBe(routes.length)
    for (const { path, parameter } of operationList) expect(path.includes('{')).toBe(parameter !== undefined)
    for (const { command, access } of operationList) if (command) expect(access).toBe('administrator')
  })

  it('opens administration to administrators only, own sessions to people, and the rest of the interface to keys', () => {
    for (const { id, path, access } of operationList) {
      const rule = /^\/api\/v1\/admin\b/.test(path)
        ? 'administrator'
        : /^\/api\/v1\/keys\b/.test(path)
          ? 'own keys'
          : ['signIn', 'acceptInvitation', 'setUp'].includes(id)
            ? 'sign-in'
            : /^\/api\/v1\/(sessions?|password|person)\b/.test(path)
              ? 'session'
              : id === 'listVoices' || (path.startsWith('/v1/') && id !== 'createSpeech')
                ? 'optional key'
                : /^\/(api\/)?v1\//.test(path) && id !== 'getVersion'
                  ? 'key'
                  : 'public'
      expect([id, access]).toEqual([id, rule])
    }
  })

  it('gives every operation with a key a limit, except to administrators and for signing out', () => {
    const limited = ['key', 'optional key', 'session', 'own keys']
    for (const { id, access, limit } of operationList)
      expect([id, limit !== undefined]).toEqual([id, limited.includes(access) && !id.startsWith('signOut')])
    expect([operations.speak.limit, operations.cloneVoice.limit]).toEqual(['tts', 'clone'])
    expect([operations.listVoices.limit, operations.deleteClone.limit]).toEqual(['voices', 'cloneDeletion'])
    const long = operationList.filter(({ deadline }) => deadline !== undefined && deadline !== 'demo')
    expect(long.map(({ id, deadline }) => [id, deadline])).toEqual([
      ['speak', 'tts'],
      ['cloneVoice', 'clone'],
      ['createSpeech', 'tts'],
      ['uploadPack', 'packUpload'],
      ['reEnrolClone', 'reEnrol'],
    ])
  })
})

describe('the path finder', () => {
  const find = createPathFinder()

  it('knows the methods of each path, and nothing elsewhere', () => {
    expect(find('/api/v1/admin/accounts/x')).toEqual({ allow: 'GET, HEAD, PATCH', isCrossOrigin: false })
    expect(find('/api/v1/voices/clone/')).toEqual({ allow: 'POST, DELETE', isCrossOrigin: false })
    expect(find('/audio/demos/a.mp3')).toEqual({ allow: 'GET, HEAD, OPTIONS', isCrossOrigin: true })
    for (const path of ['/api/v1/usageXcsv/a/b', '/api/v1/admin', '/healthz/x', '']) expect(find(path)).toBeUndefined()
    expect(operations.exportUsage.route).toBe('GET /api/v1/usage.csv')
  })
})
