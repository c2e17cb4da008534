/**
 * Every operation of the service by its id: the pages, those of customers and people, and those of administrators. It is data only;
 * `http` and `cli` bind the code to it.
 */
import { accountOperations } from './account'
import { administrativeOperations } from './administration'
import type { Method, Operation } from './operation'
import { openAiOperations } from './openai'
import { ownKeyOperations } from './own-keys'
import { peopleOperations } from './people'
import { audioOperations, serviceOperations } from './service'
import { speechOperations } from './speech'
import { voiceOperations } from './voices'

const table = {
  ...speechOperations,
  ...openAiOperations,
  ...audioOperations,
  ...accountOperations,
  ...peopleOperations,
  ...ownKeyOperations,
  ...administrativeOperations,
  ...voiceOperations,
  ...serviceOperations,
} as const

export type OperationId = keyof typeof table

/** Ids of the operations whose entry has this property with this value. */
export type OperationsWith<Property extends keyof Operation, Value> = {
  [Id in OperationId]: (typeof table)[Id] extends { readonly [P in Property]: Value } ? Id : never
}[OperationId]

/** Ids of the operations that are commands too. */
export type CommandOperationId = OperationsWith<'command', object>

export type AccessOf<Id extends OperationId> = (typeof table)[Id]['access']

export const operations: Readonly<Record<OperationId, Operation>> = table

/** In the order of the API description. */
export const operationList = Object.entries(operations).map(([id, operation]) => {
  const [method, path] = operation.route.split(' ') as [Method, string]
  return { ...operation, id: id as OperationId, method, path }
})

export type ListedOperation = (typeof operationList)[number]

/** `says` of a field as a sentence. */
export function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`
}
