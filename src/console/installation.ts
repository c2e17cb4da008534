/** The name, the version and the addresses of the service, which the server wrote into the page. */

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''

export const installation = { name: meta('application-name'), version: meta('version') }

/** The address of the service as this browser reaches it, without a slash at its end. */
export const baseUrl = new URL('..', document.baseURI).href.replace(/\/$/, '')

/** The path of the console, without a slash at its end. */
export const consolePath = new URL('.', document.baseURI).pathname.replace(/\/$/, '')

/** The address of a page of the console, such as `/voices`. */
export const at = (page: string): string => `${consolePath}${page}`
