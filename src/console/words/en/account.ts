/** Words of the page of one's own account. */
export const account = {}
