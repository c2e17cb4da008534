/** Names and values below each other. */
import type { ComponentChildren } from 'preact'

type Fact = { readonly name: string; readonly value: ComponentChildren }

export function Facts({ of }: { readonly of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
