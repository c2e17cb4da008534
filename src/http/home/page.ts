/** The page at `/` for people with a browser: describes the service and the first steps. One file, no requests. */
import { sha256 } from '../../hash'
import html from './home.html' with { type: 'text' }
import style from './home.css' with { type: 'text' }
import script from './home.js' with { type: 'text' }

export type HomePage = {
  /** Names the installation. */
  readonly name: string
  readonly version: string
  readonly baseUrl: string
  /** The default voice of callers without a plan; undefined without one. */
  readonly voice: { readonly name: string; readonly language: string; readonly demo: string } | undefined
}

const hashOf = (text: string) => `'sha256-${sha256(text).toString('base64')}'`

/** Allows only the page's own style and script, and audio of the service. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  'img-src data:',
  "media-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function writeHomePage({ name, version, baseUrl, voice }: HomePage): string {
  const path = new URL(baseUrl).pathname.replace(/\/$/, '')
  const values: Record<string, string> = {
    name: Bun.escapeHTML(name),
    version: Bun.escapeHTML(version),
    base: Bun.escapeHTML(baseUrl),
    path: Bun.escapeHTML(path),
    style: `<style>${style}</style>`,
    script: `<script>${script}</script>`,
    player: voice ? writePlayer(path, voice) : '',
  }
  return html.replace(/\{\{(\w+)\}\}/g, (_, field: string) => values[field]!)
}

/** Uses the demo's path on this server: a storage URL elsewhere would make the page load from there. */
function writePlayer(path: string, { name, language, demo }: NonNullable<HomePage['voice']>): string {
  return `<section aria-labelledby="listen">
<h2 id="listen">Listen</h2>
<p>The default voice is ${Bun.escapeHTML(name)} (${Bun.escapeHTML(language)}).</p>
<audio controls preload="none" src="${Bun.escapeHTML(`${path}/audio/${demo}`)}"></audio>
</section>`
}
