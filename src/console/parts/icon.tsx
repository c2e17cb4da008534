/** Icons of the Lucide set. They are decoration: the words beside them, or a label, say what they mean. */
import type { IconNode } from 'lucide'
import { h } from 'preact'

type Props = { readonly of: IconNode; readonly sizePixels?: number }

export function Icon({ of, sizePixels = 18 }: Props) {
  return (
    <svg
      class="icon"
      width={sizePixels}
      height={sizePixels}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {of.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  )
}
