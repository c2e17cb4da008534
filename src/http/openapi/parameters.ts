/** Parameters that several operations share. */
import { faultHeader, faultNames } from '../../faults'
import type { Parameter } from './model'

export const pageParameters: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    description: 'How many at most.',
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  },
  { name: 'cursor', in: 'query', description: 'The `next_cursor` of the page before.', schema: { type: 'string' } },
]

export function instantParameter(name: 'from' | 'to'): Parameter {
  const end = name === 'from' ? 'This moment and later' : 'Before this moment'
  const description = `${end}: an ISO 8601 date or time, UTC where it says nothing else.`
  return { name, in: 'query', description, schema: { type: 'string' } }
}

export function idParameter(what: string): Parameter {
  return { name: 'id', in: 'path', description: `Id of the ${what}.`, required: true, schema: { type: 'string' } }
}

export const faultParameter: Parameter = {
  name: faultHeader,
  in: 'header',
  description: `Only with \`serve --ephemeral\`, else ignored: makes the request fail there. One of ${faultNames.map((name) => `\`${name}\``).join(', ')}, or \`latency=<ms>\`, or both with a comma between.`,
  schema: { type: 'string' },
}
