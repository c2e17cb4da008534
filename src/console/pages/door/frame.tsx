/** The frame of the pages without a session: the mark, one card, and the choice of language. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { installation } from '../../installation'
import { Brand } from '../../parts/brand'
import { Button } from '../../parts/button'
import { chooseLanguage, language } from '../../words/words'

type Props = {
  readonly title: string
  readonly lead?: string
  readonly below?: ComponentChildren
  readonly children: ComponentChildren
}

export function Door({ title, lead, below, children }: Props) {
  useEffect(() => {
    document.title = `${title} · ${installation.name}`
  }, [title])
  const other = language.value === 'en' ? 'zh' : 'en'
  return (
    <main class="door">
      <Brand />
      <section class="card" aria-labelledby="door-title">
        <h1 id="door-title">{title}</h1>
        {lead && <p class="faint">{lead}</p>}
        {children}
      </section>
      {below}
      <div class="row">
        <Button kind="quiet" lang={other} onClick={() => chooseLanguage(other)}>
          {other === 'zh' ? '中文' : 'English'}
        </Button>
        <span class="small faint">Sonant {installation.version}</span>
      </div>
    </main>
  )
}
