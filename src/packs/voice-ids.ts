/**
 * Assigns the ids of installed voices: a reader's slug, made unique among all packs and the built-in voices. An id
 * stays with its voice as long as the pack is cached.
 */

export type Claimant = {
  /** Slugs of its voices from the reader. */
  readonly slugs: readonly string[]
  /** Ids assigned before, by slug. */
  readonly given: ReadonlyMap<string, string>
}

const charactersMax = 64

/**
 * Returns one map from slug to id per claimant, in order of installation. On a collision the later claimant gets a
 * suffix `-2`, `-3` and so on, unless it had the id before, perhaps even before the id was reserved.
 */
export function giveIds(claimants: readonly Claimant[], reservedIds: Iterable<string>): Map<string, string>[] {
  const taken = new Set<string>()
  const take = (id: string) => taken.add(id) && id
  const maps = claimants.map(({ given }) => new Map([...given].filter(([, id]) => !taken.has(id) && take(id))))
  for (const id of reservedIds) taken.add(id)
  claimants.forEach(({ slugs }, index) => {
    const ids = maps[index]!
    for (const slug of slugs) if (!ids.has(slug)) ids.set(slug, take(freeId(slug, taken)))
  })
  return maps
}

function freeId(slug: string, taken: ReadonlySet<string>): string {
  const wanted = asId(slug)
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`
    const id = wanted.slice(0, charactersMax - suffix.length).replace(/[._-]+$/, '') + suffix
    if (!taken.has(id)) return id
  }
}

/** Ids of clones begin with `cv-`, which is also the code of Chuvash. */
function asId(slug: string): string {
  const id = slug
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
  return id === '' || id.startsWith('cv-') ? `voice-${id}` : id
}
