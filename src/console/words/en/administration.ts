/** Words of the pages for administrators. */
export const administration = {}
