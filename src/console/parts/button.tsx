/** Buttons, and links that look like them. */
import type { IconNode } from 'lucide'
import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './icon'

type Kind = 'primary' | 'plain' | 'quiet' | 'danger'

type Props = Omit<JSX.IntrinsicElements['button'], 'icon'> & {
  readonly kind?: Kind
  readonly icon?: IconNode
  /** Work of this button runs: it shows so and takes no further click. */
  readonly isBusy?: boolean
  readonly children?: ComponentChildren
}

export function Button({ kind = 'plain', icon, isBusy = false, children, type = 'button', disabled, ...rest }: Props) {
  return (
    <button {...rest} type={type} class={`button ${kind}`} disabled={disabled || isBusy} aria-busy={isBusy}>
      {isBusy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon of={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  )
}

type IconButtonProps = Omit<Props, 'children' | 'icon'> & { readonly icon: IconNode; readonly label: string }

/** A button without words; `label` names it for screen readers and on hovering. */
export function IconButton({ label, kind = 'quiet', ...rest }: IconButtonProps) {
  return <Button {...rest} kind={kind} aria-label={label} title={label} />
}

type LinkProps = {
  readonly href: string
  readonly download?: string | true
  readonly target?: '_blank'
  readonly kind?: Kind
  readonly icon?: IconNode
  readonly children?: ComponentChildren
}

export function LinkButton({ kind = 'plain', icon, children, ...rest }: LinkProps) {
  return (
    <a {...rest} class={`button ${kind}`}>
      {icon && <Icon of={icon} />}
      <span>{children}</span>
    </a>
  )
}
