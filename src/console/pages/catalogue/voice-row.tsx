/** One voice of the catalogue with what an administrator may change. */
import { ChevronDown, ChevronUp, Pencil, Star, StarOff, VolumeX } from 'lucide'
import { formatLanguage } from '../../format'
import { IconButton } from '../../parts/button'
import { Badge } from '../../parts/figures'
import { CheckField } from '../../parts/form'
import { ListenButton } from '../../parts/listen'
import { DragHandle } from '../../parts/sortable'
import { words } from '../../words/words'
import type { Voice, VoiceChanges } from './managed-voices'

export type Direction = 'up' | 'down'

type Props = {
  readonly voice: Voice
  readonly demoUrl: string | undefined
  readonly isSlow: boolean
  readonly isDefault: boolean
  readonly onChange: (changes: VoiceChanges) => void
  readonly onRename: () => void
  /** For rows that have an order. */
  readonly move?: {
    readonly isFirst: boolean
    readonly isLast: boolean
    readonly onMove: (direction: Direction) => void
  }
}

export function VoiceRow({ voice, demoUrl, isSlow, isDefault, onChange, onRename, move }: Props) {
  const { catalogue } = words.value.administration
  const { id, display_name: name, language, engine, active, public: isPublic, featured } = voice
  return (
    <li class="managed-voice" data-id={id}>
      {move && <DragHandle />}
      {demoUrl ? (
        <ListenButton url={demoUrl} name={name} />
      ) : (
        <IconButton icon={VolumeX} label={catalogue.notHeard} disabled />
      )}
      <div class={active ? 'managed-name' : 'managed-name faint'}>
        <span class="row">
          <span class="strong">{name}</span>
          {isDefault && <Badge tone="good">{catalogue.isDefault}</Badge>}
          {isSlow && <Badge tone="warn">{catalogue.slow}</Badge>}
        </span>
        <span class="small faint">
          {formatLanguage(language)} · {engine} · <code>{id}</code>
        </span>
      </div>
      <div class="managed-switches">
        <CheckField
          label={<Named short={catalogue.active} long={catalogue.activeHint(name)} />}
          isChecked={active}
          onCheck={(isChecked) => onChange({ active: isChecked })}
        />
        <CheckField
          label={<Named short={catalogue.public} long={catalogue.publicHint(name)} />}
          isChecked={isPublic}
          onCheck={(isChecked) => onChange({ public: isChecked })}
        />
      </div>
      <div class="managed-actions">
        {move && (
          <>
            <IconButton
              data-move="up"
              icon={ChevronUp}
              label={catalogue.up(name)}
              disabled={move.isFirst}
              onClick={() => move.onMove('up')}
            />
            <IconButton
              data-move="down"
              icon={ChevronDown}
              label={catalogue.down(name)}
              disabled={move.isLast}
              onClick={() => move.onMove('down')}
            />
          </>
        )}
        <IconButton icon={Pencil} label={catalogue.rename(name)} onClick={onRename} />
        <IconButton
          icon={featured ? StarOff : Star}
          label={featured ? catalogue.unfeature(name) : catalogue.feature(name)}
          onClick={() => onChange({ featured: !featured })}
        />
      </div>
    </li>
  )
}

/** A short word to see, and a sentence for screen readers. */
function Named({ short, long }: { readonly short: string; readonly long: string }) {
  return (
    <>
      <span aria-hidden="true">{short}</span>
      <span class="hidden">{long}</span>
    </>
  )
}
