/** `/admin/voices`: the voices in their order, who may use them, and their names. */
import { Star } from 'lucide'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, dataOf, type Schema } from '../../client/client'
import { useLoad } from '../../client/load'
import { useQuery } from '../../client/query'
import { formatLanguage, formatNumber } from '../../format'
import { SelectField } from '../../parts/form'
import { LongList } from '../../parts/long-list'
import { matchWords } from '../../parts/match-words'
import { Card, Page } from '../../parts/page'
import { SearchField } from '../../parts/search'
import { SortableList } from '../../parts/sortable'
import { Empty, Loaded } from '../../parts/states'
import { words } from '../../words/words'
import { featuredOf, useManagedVoices, type Voice } from './managed-voices'
import { RenameDialog } from './rename-dialog'
import { VoiceRow, type Direction } from './voice-row'

export default function Catalogue() {
  const { navigation, administration } = words.value
  const { catalogue } = administration
  const voices = useManagedVoices()
  const active = voices.list.data?.items.filter((voice) => voice.active).length
  // The list for users has the addresses of the demos.
  const listed = useLoad(() => dataOf(api.GET('/api/v1/voices', { params: { query: { group: 'all' } } })), [active])
  const [renamed, setRenamed] = useState<Voice | undefined>(undefined)
  const byId = new Map(listed.data?.voices.map((voice) => [voice.id, voice]))
  return (
    <Page title={navigation.catalogue} lead={catalogue.lead}>
      <Loaded of={voices.list} lines={10}>
        {({ items }) => {
          const first = [...featuredOf(items), ...items].find((voice) => voice.active && voice.public)
          const props = { voices, items, listed: byId, defaultId: first?.id, onRename: setRenamed }
          return (
            <>
              <FeaturedCard {...props} />
              <OthersCard {...props} />
            </>
          )
        }}
      </Loaded>
      {renamed && <RenameDialog voice={renamed} onClose={() => setRenamed(undefined)} onRenamed={voices.list.reload} />}
    </Page>
  )
}

type Props = {
  readonly voices: ReturnType<typeof useManagedVoices>
  readonly items: readonly Voice[]
  readonly listed: ReadonlyMap<string, Schema<'Voice'>>
  /** The voice of requests that name none: the first public one of the list. */
  readonly defaultId: string | undefined
  readonly onRename: (voice: Voice) => void
}

/** The properties of a row. */
function rowOf(voice: Voice, { voices, listed, defaultId, onRename }: Props) {
  const { catalogue } = words.value.administration
  return {
    voice,
    demoUrl: voice.active ? listed.get(voice.id)?.demo_url : undefined,
    isSlow: voice.slow === true,
    isDefault: defaultId === voice.id,
    onRename: () => onRename(voice),
    onChange: (changes: Schema<'VoiceChanges'>) =>
      voices.update(voice.id, changes, catalogue.saved(voice.display_name)),
  }
}

function FeaturedCard(props: Props) {
  const { catalogue } = words.value.administration
  const featured = featuredOf(props.items)
  const focus = useRef<{ id: string; direction: Direction } | undefined>(undefined)

  // Moving a row in the page takes the focus from its button.
  useLayoutEffect(() => {
    const { current } = focus
    if (!current) return
    focus.current = undefined
    const other = current.direction === 'up' ? 'down' : 'up'
    const row = document.querySelector(`.rows [data-id="${CSS.escape(current.id)}"]`)
    const button = [current.direction, other]
      .map((direction) => row?.querySelector<HTMLButtonElement>(`[data-move="${direction}"]`))
      .find((button) => button && !button.disabled)
    button?.focus()
  })

  function moveTo(id: string, index: number): void {
    const others = featured.filter((voice) => voice.id !== id)
    const { display_name: name } = featured.find((voice) => voice.id === id)!
    props.voices.move(id, others[index]?.id ?? null, catalogue.moved(name, formatNumber(index + 1)))
  }

  return (
    <Card title={catalogue.featured}>
      <p class="faint small">{catalogue.featuredText}</p>
      {featured.length === 0 ? (
        <Empty icon={Star} title={catalogue.noneFeatured}>
          <p>{catalogue.noneFeaturedText}</p>
        </Empty>
      ) : (
        <SortableList name="featured" label={catalogue.featured} onDrop={({ id, index }) => moveTo(id, index)}>
          {featured.map((voice, index) => (
            <VoiceRow
              key={voice.id}
              {...rowOf(voice, props)}
              move={{
                isFirst: index === 0,
                isLast: index === featured.length - 1,
                onMove: (direction) => {
                  focus.current = { id: voice.id, direction }
                  moveTo(voice.id, direction === 'up' ? index - 1 : index + 1)
                },
              }}
            />
          ))}
        </SortableList>
      )}
    </Card>
  )
}

const states: Record<string, (voice: Voice) => boolean> = {
  active: ({ active }) => active,
  inactive: ({ active }) => !active,
  private: ({ active, public: isPublic }) => active && !isPublic,
}

function OthersCard(props: Props) {
  const { common, administration } = words.value
  const { catalogue } = administration
  const [search, setSearch] = useQuery('q')
  const [state, setState] = useQuery('state')
  const matches = matchWords(search)
  const shown = props.items.filter((voice) => {
    if (voice.featured || !(states[state]?.(voice) ?? true)) return false
    const { id, display_name: name, language, engine } = voice
    return matches(name, id, language, formatLanguage(language), engine)
  })
  return (
    <Card title={catalogue.others}>
      <div class="filters">
        <SearchField placeholder={catalogue.search} value={search} onSearch={setSearch} />
        <SelectField
          name="state"
          label={catalogue.show}
          options={[
            { value: '', label: common.all },
            { value: 'active', label: catalogue.showActive },
            { value: 'inactive', label: catalogue.showInactive },
            { value: 'private', label: catalogue.showPrivate },
          ]}
          value={state}
          onValue={setState}
        />
      </div>
      <LongList key={`${state} ${search}`} of={shown} empty={<Empty title={catalogue.none} />}>
        {(rendered) => (
          <ul class="rows" aria-label={catalogue.others}>
            {rendered.map((voice) => (
              <VoiceRow key={voice.id} {...rowOf(voice, props)} />
            ))}
          </ul>
        )}
      </LongList>
    </Card>
  )
}
