/** The rules of reading take a tenth of a start to load; a server can listen before it has them. */
export const loadRendering = () => import('./render')
