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
  /** Stands below the secret. */
  readonly below?: ComponentChildren
  /** Must drop the secret. */
  readonly onClose: () => void
}

/** Only its button closes it: a stray Escape must not lose the secret. */
export function SecretDialog({ title, secret, children, below, onClose }: Props) {
  const { common } = words.value
  return (
    <Dialog title={title} onClose={undefined}>
      <div class="stack">
        {children}
        <div class="note warn">
          <code class="secret">{secret}</code>
          <p class="small">{common.shownOnce}</p>
        </div>
        <div class="actions">
          <CopyButton text={secret} label={common.copy} />
        </div>
        {below}
        <div class="actions">
          <Button kind="primary" onClick={onClose}>
            {common.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
