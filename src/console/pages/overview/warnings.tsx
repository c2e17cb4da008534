/** Things that need attention soon, each with advice. */
import type { ComponentChildren } from 'preact'
import { at } from '../../installation'

export type Warning = {
  readonly key: string
  readonly tone: 'warn' | 'bad'
  readonly text: string
  /** Advice, or a reason. */
  readonly more?: ComponentChildren
  /** The page where it is done. */
  readonly link?: { readonly path: string; readonly label: string }
}

export function Warnings({ of }: { readonly of: readonly Warning[] }) {
  return (
    <>
      {of.map(({ key, tone, text, more, link }) => (
        <div key={key} class={`note ${tone}`} role="status">
          <p class="strong">{text}</p>
          {more && <p class="small">{more}</p>}
          {link && <a href={at(link.path)}>{link.label}</a>}
        </div>
      ))}
    </>
  )
}
