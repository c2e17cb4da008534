/** The measure of functions that the rules of the source tree use, on functions of known length. */
import { expect, it } from 'bun:test'
import { functionLengths } from './function-lengths'

const lengthsOf = (text: string) => functionLengths(text).map(({ name, lines }) => [name, lines])

it('counts from the first line of a function to its closing brace, without its comment', () => {
  expect(lengthsOf('/** Says\n * nothing. */\nexport function silent(): void {\n}\n')).toEqual([['silent', 2]])
  expect(lengthsOf('async function* one(\n  a: number,\n): AsyncGenerator<number> {\n  yield a\n}')).toEqual([
    ['one', 5],
  ])
})

it('counts arrows with a body in braces, and names them after what holds them', () => {
  expect(lengthsOf('const a = () => 1')).toEqual([])
  expect(lengthsOf('const a = () => {\n}\nconst b = { c: (): void => {\n\n} }\nrun(() => {\n})')).toEqual([
    ['a', 2],
    ['c', 3],
    ['', 2],
  ])
})

it('counts methods, accessors, constructors, and functions in functions', () => {
  const text = `class A {
  constructor() {
  }
  get b() { return 1 }
  c(): void {
    function d() {
    }
  }
}`
  expect(lengthsOf(text)).toEqual([
    ['constructor', 2],
    ['b', 1],
    ['c', 4],
    ['d', 2],
  ])
})

it('is not misled by braces in texts, templates, patterns and comments', () => {
  const text = [
    'function a() {',
    '  // }',
    "  const b = '}' + `}${ { c: 1 }.c }` + /}/.source",
    '  return b',
    '}',
    '',
  ].join('\n')
  expect(lengthsOf(text)).toEqual([['a', 5]])
})

it('skips overloads and declarations without a body', () => {
  expect(lengthsOf('declare function a(\n): void\nabstract class B {\n  abstract c(\n  ): void\n}')).toEqual([])
})
