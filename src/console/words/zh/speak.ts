/** Words of the playground. */
export const speak = {}
