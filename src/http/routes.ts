/**
 * Makes a route of every operation. Deadline, access and rate limit come from the table of operations and are applied
 * here, in this order, and then the input is read; no handler can forget them.
 */
import { NotFoundError, type Elysia } from 'elysia'
import type { Caller } from '../account/keys'
import type { TimedOperation } from '../config'
import type { Deadline } from '../deadline'
import { withNumbers, type Fields } from '../fields'
import type { Access as AccessRule } from '../operations/operation'
import { operationList, type AccessOf, type ListedOperation, type OperationId } from '../operations/table'
import type { Access } from './access'
import { queryOf, readJsonObject, readOptionalJsonObject } from './body'
import { crossOrigin } from './cross-origin'
import { addHeaders, stateOf } from './request-state'
import type { SessionCaller } from './session-access'

/** A request that its operation let in. */
export type Call<Rule extends AccessRule = AccessRule> = {
  readonly request: Request
  readonly caller: Rule extends 'session'
    ? SessionCaller
    : Rule extends 'key' | 'own keys' | 'administrator'
      ? Caller
      : Rule extends 'optional key'
        ? Caller | undefined
        : undefined
  /** The parameter of the path; empty without one. */
  readonly id: string
  /** The fields of the JSON body or of the query. */
  readonly fields: Fields
  readonly deadline: Deadline
  /** Headers of the answer; the handler may add some. */
  readonly headers: Record<string, string | number>
}

export type Handler<Id extends OperationId> = (call: Call<AccessOf<Id>>) => unknown

/** The code of every operation. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> }

type RouteOptions = {
  readonly access: Access
  /** Sets the deadline of a request. */
  readonly begin: (request: Request, operation: TimedOperation) => Deadline
}

/** Adds the routes to the server directly: a plugin of Elysia would register each of them twice. */
export function addRoutes(app: Elysia, { access, begin }: RouteOptions, handlers: Handlers): void {
  function routeOf(operation: ListedOperation) {
    const handle = handlers[operation.id] as (call: Call) => unknown
    const readInput = inputReaderOf(operation)
    return ({ request, params, set }: Route) => {
      if (operation.deadline) begin(request, operation.deadline)
      if (operation.isCrossOrigin) addHeaders(request, crossOrigin)
      const caller = access.enter(request, operation) as Call['caller']
      const run = (fields: Fields) => {
        if (operation.status) set.status = operation.status
        const { deadline } = stateOf(request)
        return handle({ request, caller, id: idIn(params), fields, deadline, headers: set.headers })
      }
      const fields = readInput(request)
      // A short request costs measurably less without a promise.
      return fields instanceof Promise ? fields.then(run) : run(fields)
    }
  }

  const mounts = new Map<string, Map<string, ReturnType<typeof routeOf>>>()
  for (const operation of operationList) {
    const { mount, method, path, answersHead } = operation
    const route = routeOf(operation)
    // Operations with one mount and method share the handler of the first.
    if (mount) mounts.set(mount, new Map([[method, route], ...(mounts.get(mount) ?? [])]))
    else
      for (const each of answersHead ? [method, 'HEAD'] : [method])
        app.route(each, routerPath(path), route, method === 'GET' ? undefined : unparsed)
  }
  // Elysia would answer HEAD by the route of GET here, and count the bytes of the file for it.
  for (const [mount, byMethod] of mounts)
    app.all(mount, ({ request, params, set }: Route) => {
      const route = byMethod.get(request.method)
      if (!route) throw new NotFoundError()
      return route({ request, params, set })
    })
}

/** Elysia would read the body without our limits. */
const unparsed = { parse: 'none' } as const

type Route = {
  readonly request: Request
  readonly params?: Readonly<Record<string, string>>
  readonly set: { status?: number | string; headers: Record<string, string | number> }
}

function idIn(params: Route['params']): string {
  for (const name in params) return params[name]!
  return ''
}

/** A last parameter with the name `path` takes slashes too. */
function routerPath(path: string): string {
  return path.replace(/\{path\}$/, '*').replace(/\{(\w+)\}/g, ':$1')
}

/** A form is read by its handler. Changes by an administrator that need no field may come without a body. */
function inputReaderOf({
  method,
  access,
  body,
  query,
}: ListedOperation): (request: Request) => Fields | Promise<Fields> {
  if (body?.form) return () => ({})
  if (method === 'PATCH') return readJsonObject
  if ((access === 'administrator' || access === 'own keys') && method !== 'GET') return readOptionalJsonObject
  if (body) return readJsonObject
  const numbers = Object.entries(query ?? {}).filter(([, { schema }]) => schema.type === 'integer')
  const names = numbers.map(([name]) => name)
  return names.length > 0 ? (request) => withNumbers(queryOf(request), names) : queryOf
}

type Path = {
  /** The value of the header `Allow`. */
  readonly allow: string
  readonly isCrossOrigin: boolean
}

/** Returns a function that finds the operations at a path, for the answer to a method that the path does not have. */
export function createPathFinder(): (pathname: string) => Path | undefined {
  const known = operationList.map((operation) => {
    const pattern = (operation.mount ?? routerPath(operation.path))
      .replaceAll('.', '\\.')
      .replace(/:\w+/g, '[^/]+')
      .replace('*', '.*')
    return { ...operation, pattern: new RegExp(`^${pattern}/?$`) }
  })
  return (pathname) => {
    const found = known.filter(({ pattern }) => pattern.test(pathname))
    if (found.length === 0) return undefined
    // A path with GET also has HEAD.
    const methods = found.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    return {
      allow: [...new Set(methods)].join(', '),
      isCrossOrigin: found.some(({ isCrossOrigin }) => isCrossOrigin === true),
    }
  }
}
