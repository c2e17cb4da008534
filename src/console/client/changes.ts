/** The changes of a form: another administrator may have changed the other fields meanwhile. */

/** The fields of `after` that differ from those of `before`. */
export function changedFields<Fields extends object>(before: Partial<Fields>, after: Fields): Partial<Fields> {
  const isChanged = (name: string) =>
    JSON.stringify(before[name as keyof Fields]) !== JSON.stringify(after[name as keyof Fields])
  return Object.fromEntries(Object.entries(after).filter(([name]) => isChanged(name))) as Partial<Fields>
}
