/** The page "Voices": the account's own voices, and the catalogue. */
import { Mic } from 'lucide'
import { useMemo } from 'preact/hooks'
import { api, dataOf } from '../../client/client'
import { useLoad } from '../../client/load'
import { at } from '../../installation'
import { Button, LinkButton } from '../../parts/button'
import { SelectField } from '../../parts/form'
import { Icon } from '../../parts/icon'
import { LongList } from '../../parts/long-list'
import { Page } from '../../parts/page'
import { SearchField } from '../../parts/search'
import { Empty, Loaded } from '../../parts/states'
import { language, words } from '../../words/words'
import { filterVoices, optionsOf, useFilters, type Voice } from './filters'
import { Heading } from './heading'
import { OwnVoices } from './own-voices'
import { VoiceCard } from './voice-card'

export default function Voices() {
  const { voices, navigation } = words.value
  const list = useLoad(() => dataOf(api.GET('/api/v1/voices')), [])
  return (
    <Page
      title={navigation.voices}
      lead={voices.lead}
      actions={
        <LinkButton href={at('/voices/clone')} kind="primary" icon={Mic}>
          {voices.clone}
        </LinkButton>
      }
    >
      <Loaded of={list} lines={8}>
        {(data) => <Lists all={data.voices} onDeleted={list.reload} />}
      </Loaded>
    </Page>
  )
}

type ListsProps = { readonly all: readonly Voice[]; readonly onDeleted: () => void }

function Lists({ all, onDeleted }: ListsProps) {
  const { voices } = words.value
  const filters = useFilters()
  const { search, language: spoken, gender, engine, whose } = filters
  const found = useMemo(() => filterVoices(all, filters), [all, search, spoken, gender, engine, whose, language.value])
  // The newest clone is the one that its owner looks for.
  const own = useMemo(() => found.filter(({ owned }) => owned).toReversed(), [found])
  const catalogue = useMemo(() => found.filter(({ owned }) => !owned), [found])
  const hasOwn = all.some(({ owned }) => owned)
  if (found.length === 0 && filters.isSet)
    return (
      <>
        <FilterRow of={all} filters={filters} />
        <Empty title={voices.noMatch}>
          <Button onClick={filters.clear}>{voices.clearFilters}</Button>
        </Empty>
      </>
    )
  return (
    <>
      <FilterRow of={all} filters={filters} />
      {!hasOwn && !filters.isSet && <NoneOwned />}
      {own.length > 0 && (
        <OwnVoices key={filters.key} of={own} all={all.filter(({ owned }) => owned)} onDeleted={onDeleted} />
      )}
      {all.length === 0 && (
        <Empty title={voices.catalogueEmpty}>
          <p>{voices.catalogueEmptyText}</p>
        </Empty>
      )}
      {catalogue.length > 0 && (
        <section class="stack" aria-labelledby="catalogue">
          <Heading id="catalogue" title={voices.catalogue} shown={catalogue} of={all.filter(({ owned }) => !owned)} />
          <LongList key={filters.key} of={catalogue}>
            {(shown) => (
              <ul class="voices">
                {shown.map((voice) => (
                  <VoiceCard key={voice.id} voice={voice} isDefault={voice.id === all[0]!.id} />
                ))}
              </ul>
            )}
          </LongList>
        </section>
      )}
    </>
  )
}

type FilterProps = { readonly of: readonly Voice[]; readonly filters: ReturnType<typeof useFilters> }

function FilterRow({ of, filters }: FilterProps) {
  const { voices, common } = words.value
  const options = useMemo(() => optionsOf(of), [of, language.value])
  if (of.length === 0) return null
  return (
    <div class="filters voice-filters" role="search">
      <SearchField placeholder={voices.searchHint} value={filters.search} onSearch={filters.setSearch} />
      <SelectField
        label={voices.language}
        name="language"
        value={filters.language}
        onValue={filters.setLanguage}
        options={options.language}
      />
      <SelectField
        label={voices.gender}
        name="gender"
        value={filters.gender}
        onValue={filters.setGender}
        options={options.gender}
      />
      <SelectField
        label={voices.engine}
        name="engine"
        value={filters.engine}
        onValue={filters.setEngine}
        options={options.engine}
      />
      <SelectField
        label={voices.whose}
        name="whose"
        value={filters.whose}
        onValue={filters.setWhose}
        options={[
          { value: '', label: common.all },
          { value: 'own', label: voices.own },
          { value: 'catalogue', label: voices.catalogue },
        ]}
      />
    </div>
  )
}

/** In place of the account's own voices. */
function NoneOwned() {
  const { voices } = words.value
  return (
    <section class="card invitation-to-clone" aria-label={voices.ownEmpty}>
      <Icon of={Mic} sizePixels={28} />
      <div>
        <p class="strong">{voices.ownEmpty}</p>
        <p class="small faint">{voices.ownEmptyText}</p>
      </div>
      <LinkButton href={at('/voices/clone')}>{voices.clone}</LinkButton>
    </section>
  )
}
