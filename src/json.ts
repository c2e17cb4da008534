/** Parses JSON that comes from outside, with a limit on its nesting. */

/** Why a text is refused. The message continues a sentence: `is not valid JSON`, `is nested more than 64 levels deep`. */
export class BadJson extends Error {
  override readonly name = 'BadJson'
}

/** Nesting depth of objects and arrays in files of packs, of hubs and of operators. No valid one is nested deeper. */
export const fileDepthMax = 64

/**
 * Parses `text`. Throws `BadJson`, before it parses a text that is nested too deeply: a megabyte of brackets would block
 * the event loop, and recursive walks over the value would overflow the stack.
 */
export function parseJson(text: string, depthMax: number = fileDepthMax): unknown {
  if (isDeeperThan(text, depthMax)) throw new BadJson(`is nested more than ${depthMax} levels deep`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new BadJson('is not valid JSON', { cause: error })
  }
}

const [quote, backslash, openArray, closeArray, openObject, closeObject] = [...'"\\[]{}'].map((one) =>
  one.charCodeAt(0),
)

function isDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length && depth <= depthMax; index++) {
    const code = text.charCodeAt(index)
    if (isInString && code === backslash) index++
    else if (code === quote) isInString = !isInString
    else if (isInString) continue
    else if (code === openArray || code === openObject) depth++
    else if (code === closeArray || code === closeObject) depth--
  }
  return depth > depthMax
}
