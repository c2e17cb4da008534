/** Turns for reads that take many statements: all of them together block other work for one statement at a time. */

let last: Promise<unknown> = Promise.resolve()

/** Resolves once other work, and each earlier caller's statement, has had its turn. Await it between two statements. */
export function nextTurn(): Promise<void> {
  const turn = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)))
  last = turn
  return turn
}
