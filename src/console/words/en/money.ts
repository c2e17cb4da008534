/** Words of keys, usage and balance. */
export const money = {}
