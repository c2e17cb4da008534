/** Words of the catalogue and of cloning. */
export const voices = {}
