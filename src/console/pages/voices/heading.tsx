/** The title of a list of voices, and how many of them are shown. */
import { formatNumber } from '../../format'
import { words } from '../../words/words'

type Props = {
  readonly id: string
  readonly title: string
  readonly shown: readonly unknown[]
  /** All of the list, whatever the filters. */
  readonly of: readonly unknown[]
}

export function Heading({ id, title, shown, of }: Props) {
  return (
    <div class="row between">
      <h2 id={id}>{title}</h2>
      <p class="small faint" role="status">
        {words.value.voices.count(formatNumber(shown.length), formatNumber(of.length))}
      </p>
    </div>
  )
}
