/** Loads rendering on demand. The text rules take a tenth of the start time, and the server can listen before. */
export const loadRendering = () => import('./render')
