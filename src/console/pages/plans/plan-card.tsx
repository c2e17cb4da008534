/** One plan: its name, and its voices beside the others. */
import { ArrowLeft, ArrowRight, Pencil, Trash2 } from 'lucide'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, dataOf, type Schema } from '../../client/client'
import { useQuery } from '../../client/query'
import { formatLanguage, formatNumber } from '../../format'
import { Button, IconButton } from '../../parts/button'
import { ask } from '../../parts/dialog'
import { Badge } from '../../parts/figures'
import { matchWords } from '../../parts/match-words'
import { Card } from '../../parts/page'
import { SearchField } from '../../parts/search'
import { DragHandle, SortableList, type Drop } from '../../parts/sortable'
import { attempt, toast } from '../../parts/toast'
import { words } from '../../words/words'
import { PlanNameDialog } from './plan-name-dialog'

type Voice = Schema<'ManagedVoice'>
type Place = 'inside' | 'outside'

type Props = {
  readonly plan: Schema<'Group'>
  readonly voices: readonly Voice[]
  readonly reload: () => void
  readonly onGone: () => void
}

/** More rows would make the page slow; the search finds the rest. */
const shownMax = 200

export function PlanCard({ plan, voices, reload, onGone }: Props) {
  const { common, administration } = words.value
  const { plans } = administration
  const { members, move } = useMembers(plan, reload)
  const [search, setSearch] = useQuery('q')
  const [isRenaming, setRenaming] = useState(false)
  const params = { path: { id: plan.id } }
  const focus = useRef<{ place: Place; index: number } | undefined>(undefined)

  // The row has gone to the other list: the next one takes its focus.
  useLayoutEffect(() => {
    const { current } = focus
    if (!current) return
    focus.current = undefined
    const buttons = document.querySelectorAll<HTMLElement>(`[data-list="${current.place}"] [data-id] .button`)
    const next = buttons[Math.min(current.index, buttons.length - 1)]
    // The last row has gone.
    const search = document.querySelector<HTMLElement>('main input[type=search]')
    ;(next ?? search)?.focus()
  })

  async function rename(name: string): Promise<void> {
    await dataOf(api.PATCH('/api/v1/admin/groups/{id}', { params, body: { name } }))
    toast(plans.renamed)
    setRenaming(false)
    reload()
  }

  async function remove(): Promise<void> {
    await dataOf(api.DELETE('/api/v1/admin/groups/{id}', { params }))
    toast(plans.deleted)
    onGone()
    reload()
  }

  const matches = matchWords(search)
  const isFound = ({ id, display_name: name, language }: Voice) => matches(name, id, language, formatLanguage(language))
  const known = new Map(voices.map((voice) => [voice.id, voice]))
  const missing = [...members].filter((id) => !known.has(id)).map(placeholderOf)
  const inside = [...voices.filter(({ id }) => members.has(id)), ...missing]
  const outside = voices.filter(({ id }) => !members.has(id))
  const nameOf = (id: string) => known.get(id)?.display_name ?? id
  const list = (place: Place, all: readonly Voice[]) => (
    <VoiceList
      place={place}
      all={all}
      found={all.filter(isFound)}
      known={known}
      onDrop={({ id, to, from }) => to !== from && move(id, to as Place, nameOf(id))}
      onMove={(id, index) => {
        focus.current = { place, index }
        move(id, place === 'inside' ? 'outside' : 'inside', nameOf(id))
      }}
    />
  )
  return (
    <Card
      title={plan.name}
      actions={
        <>
          <Button icon={Pencil} onClick={() => setRenaming(true)}>
            {plans.rename}
          </Button>
          <Button
            icon={Trash2}
            onClick={() =>
              ask({
                title: plans.deleteTitle(plan.name),
                text: <p>{plans.deleteText}</p>,
                action: plans.delete,
                run: remove,
              })
            }
          >
            {plans.delete}
          </Button>
        </>
      }
    >
      <SearchField placeholder={plans.search} value={search} onSearch={setSearch} />
      <div class="plan-lists">
        {list('inside', inside)}
        {list('outside', outside)}
      </div>
      {isRenaming && (
        <PlanNameDialog
          title={plans.renameTitle}
          action={common.save}
          start={plan.name}
          onSave={rename}
          onClose={() => setRenaming(false)}
        />
      )}
    </Card>
  )
}

/** The voices of a plan: changes show at once, are saved one after the other, and are put back when refused. */
function useMembers(plan: Schema<'Group'>, reload: () => void) {
  const { plans } = words.value.administration
  const [members, setMembers] = useState<ReadonlySet<string>>(() => new Set(plan.voices))
  const waiting = useRef(0)
  const queue = useRef(Promise.resolve())
  const params = { path: { id: plan.id } }
  useEffect(() => {
    if (waiting.current === 0) setMembers(new Set(plan.voices))
  }, [plan])

  const moved = (ids: Iterable<string>, id: string, to: Place) => {
    const next = new Set(ids)
    if (to === 'inside') next.add(id)
    else next.delete(id)
    return next
  }

  function move(id: string, to: Place, name: string): void {
    setMembers((now) => moved(now, id, to))
    waiting.current++
    queue.current = queue.current.then(async () => {
      const isSaved = await attempt(async () => {
        // The change is made to what the plan has now: another administrator may have changed it.
        const { items } = await dataOf(api.GET('/api/v1/admin/groups'))
        const present = items.find((each) => each.id === plan.id)?.voices ?? plan.voices
        const body = { voices: [...moved(present, id, to)] }
        await dataOf(api.PATCH('/api/v1/admin/groups/{id}', { params, body }))
      })
      waiting.current--
      if (isSaved) toast(to === 'inside' ? plans.added(name) : plans.taken(name))
      else setMembers((now) => moved(now, id, to === 'inside' ? 'outside' : 'inside'))
      if (waiting.current === 0) reload()
    })
  }

  return { members, move }
}

/** A voice of the plan that is not installed now. */
const placeholderOf = (id: string) => ({ id, display_name: id, language: '', active: true }) as Voice

type ListProps = {
  readonly place: Place
  readonly all: readonly Voice[]
  readonly found: readonly Voice[]
  readonly known: ReadonlyMap<string, Voice>
  readonly onDrop: (drop: Drop) => void
  readonly onMove: (id: string, index: number) => void
}

function VoiceList({ place, all, found, known, onDrop, onMove }: ListProps) {
  const { plans } = words.value.administration
  const none = all.length > 0 ? plans.noneFound : place === 'inside' ? plans.insideNone : plans.outsideNone
  return (
    <section class="plan-list" aria-label={plans[place]}>
      <h3>
        {plans[place]} <span class="faint">{formatNumber(all.length)}</span>
      </h3>
      <SortableList name={place} group="plan" label={plans[place]} onDrop={onDrop}>
        {found.slice(0, shownMax).map(({ id, display_name: name, language, active }, index) => (
          <li key={id} class="plan-voice" data-id={id}>
            <DragHandle />
            <div class="plan-voice-name">
              <span class="row">
                <span class="strong">{name}</span>
                {!known.has(id) && <Badge tone="warn">{plans.unknown}</Badge>}
                {!active && <Badge>{plans.deactivated}</Badge>}
              </span>
              <span class="small faint">
                {language && <>{formatLanguage(language)} · </>}
                <code>{id}</code>
              </span>
            </div>
            <IconButton
              icon={place === 'inside' ? ArrowRight : ArrowLeft}
              label={place === 'inside' ? plans.take(name) : plans.add(name)}
              onClick={() => onMove(id, index)}
            />
          </li>
        ))}
      </SortableList>
      {found.length === 0 && <p class="faint small plan-none">{none}</p>}
      {found.length > shownMax && <p class="faint small">{plans.moreFound(formatNumber(found.length - shownMax))}</p>}
    </section>
  )
}
