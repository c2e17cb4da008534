/** Words of the overview. */
export const overview = {}
