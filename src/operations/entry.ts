/** Short ways to write the entry of an operation. The compiler refuses properties that no entry has. */
import type { Method, Operation } from './operation'

type Rest = Omit<Operation, 'route' | 'summary'>
type Exact<Entry, Known> = Entry & { readonly [Unknown in Exclude<keyof Entry, keyof Known>]: never }

export function operation<const Entry extends Rest>(
  route: Operation['route'],
  summary: string,
  entry: Exact<Entry, Rest>,
) {
  return { ...entry, route, summary } as const
}

type AdministrativeRest = Omit<Rest, 'tag' | 'access'> & { readonly section?: string }

/** An operation of administrators. `route`: below `/api/v1`; `section`: its tag in the API description. */
export function administrative<const Entry extends AdministrativeRest>(
  route: Operation['route'],
  summary: string,
  entry: Exact<Entry, AdministrativeRest>,
) {
  const [method, path] = route.split(' /') as [Method, string]
  const address = `${method} /api/v1/${path}` as const
  const tag = entry.section ?? 'Administration'
  return { ...entry, tag, route: address, summary, access: 'administrator' } as const
}
