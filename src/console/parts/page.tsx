/** The frame of every page: its title, its actions, and its parts. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { installation } from '../installation'

type PageProps = {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

export function Page({ title, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${installation.name}`
  }, [title])
  return (
    <main id="content" class="page" tabIndex={-1}>
      <header class="page-head">
        <div>
          <h1>{title}</h1>
          {lead && <p class="faint">{lead}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </main>
  )
}

type CardProps = {
  readonly title?: string
  readonly actions?: ComponentChildren
  /** Whether the card takes the whole width of a grid. */
  readonly isWide?: boolean
  readonly children: ComponentChildren
}

export function Card({ title, actions, isWide = false, children }: CardProps) {
  return (
    <section class={isWide ? 'card wide' : 'card'} aria-label={title}>
      {(title || actions) && (
        <header class="card-head">
          {title && <h2>{title}</h2>}
          {actions && <div class="actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  )
}
