/**
 * The ids of installed voices: a reader's slug, made unique among all packs and the built-in voices. Once given, an id
 * stays with its voice for as long as the pack is remembered.
 */

export type Claimant = {
  /** Of its voices, as its reader named them. */
  readonly slugs: readonly string[]
  /** What was given before, by slug. */
  readonly given: ReadonlyMap<string, string>
}

const charactersMax = 64

/**
 * One map from slug to id for each of `claimants`, who come in the order in which they were installed: of two that want
 * the same id the later one gets it with `-2`, `-3` and so on behind, unless it had it before.
 */
export function giveIds(claimants: readonly Claimant[], reservedIds: Iterable<string>): Map<string, string>[] {
  const taken = new Set(reservedIds)
  const take = (id: string) => taken.add(id) && id
  const maps = claimants.map(({ given }) => new Map([...given].filter(([, id]) => !taken.has(id) && take(id))))
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

/** `cv-` is what clones begin with; it is also how Chuvash begins. */
function asId(slug: string): string {
  const id = slug
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
  return id === '' || id.startsWith('cv-') ? `voice-${id}` : id
}
