/** A secret that the service shows only once, to copy before the dialog closes. */
import type { ComponentChildren } from 'preact'
import { words } from '../words/words'
import { Button } from './button'
import { CopyButton } from './copy'
import { Dialog } from './dialog'

type Props = {
  readonly title: string
  readonly secret: string
  /** Says its purpose. */
  readonly children?: ComponentChildren
  /** Must drop the secret. */
  readonly onClose: () => void
}

export function SecretDialog({ title, secret, children, onClose }: Props) {
  const { common } = words.value
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        {children}
        <div class="note warn">
          <code class="secret">{secret}</code>
          <p class="small">{common.shownOnce}</p>
        </div>
        <div class="actions">
          <CopyButton text={secret} label={common.copy} />
          <Button kind="primary" onClick={onClose}>
            {common.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
