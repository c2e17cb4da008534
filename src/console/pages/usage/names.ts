/** Names by id: requests of the history name voices and keys by their ids. */
export type Names = ReadonlyMap<string, string>

export const noNames: Names = new Map()

/** Sorted by name. */
export function namesOf<Item>(items: readonly Item[], read: (item: Item) => readonly [string, string]): Names {
  return new Map(items.map(read).sort(([, one], [, other]) => one.localeCompare(other)))
}
