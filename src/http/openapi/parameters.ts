/** Parameters shared by several operations. */
import { faultHeader, faultNames } from '../../faults'
import type { Parameter } from './model'
import { cursorPattern, idPattern, time } from './rules'

export const pageParameters: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    description: 'How many at most.',
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  },
  {
    name: 'cursor',
    in: 'query',
    description: 'The `next_cursor` of the page before.',
    schema: { type: 'string', pattern: cursorPattern },
  },
]

export function instantParameter(name: 'from' | 'to'): Parameter {
  const end = name === 'from' ? 'This moment and later' : 'Before this moment'
  const { description, ...schema } = time(`${end}: an ISO 8601 date or time.`)
  return { name, in: 'query', description: description!, schema }
}

export function idParameter(what: string): Parameter {
  return {
    name: 'id',
    in: 'path',
    description: `Id of the ${what}.`,
    required: true,
    schema: { type: 'string', minLength: 1 },
  }
}

/** Filters by an id; an unknown id gives an empty list or 404. */
export function idFilter(name: string, description: string): Parameter {
  return { name, in: 'query', description, schema: { type: 'string', pattern: idPattern } }
}

const faultPattern = `(${faultNames.join('|')}|latency=([0-9]{1,4}|[1-5][0-9]{4}|60000))`

export const faultParameter: Parameter = {
  name: faultHeader,
  in: 'header',
  description: `Only with \`serve --ephemeral\`, else ignored: makes the request fail there. One of ${faultNames.map((name) => `\`${name}\``).join(', ')}, or \`latency=<ms>\`, or both with a comma between.`,
  schema: { type: 'string', pattern: `^${faultPattern}( ?, ?${faultPattern})*$` },
}
