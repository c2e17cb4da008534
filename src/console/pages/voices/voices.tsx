/** The page "Voices": the account's own voices, and the catalogue. */
import { Mic } from 'lucide'
import { useMemo } from 'preact/hooks'
import { api, dataOf } from '../../client/client'
import { useLoad } from '../../client/load'
import { formatNumber } from '../../format'
import { at } from '../../installation'
import { Button, LinkButton } from '../../parts/button'
import { SelectField } from '../../parts/form'
import { Page } from '../../parts/page'
import { SearchField } from '../../parts/search'
import { Empty, Loaded } from '../../parts/states'
import { language, words } from '../../words/words'
import { filterVoices, optionsOf, useFilters, type Voice } from './filters'
import { OwnVoices } from './own-voices'
import { Portions } from './portions'
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
  // The newest clone is the one that its owner looks for.
  const own = useMemo(() => all.filter(({ owned }) => owned).toReversed(), [all])
  const catalogue = useMemo(() => all.filter(({ owned }) => !owned), [all])
  return (
    <>
      <OwnVoices of={own} onDeleted={onDeleted} />
      <Catalogue of={catalogue} defaultId={all[0]?.id} />
    </>
  )
}

type CatalogueProps = { readonly of: readonly Voice[]; readonly defaultId: string | undefined }

function Catalogue({ of, defaultId }: CatalogueProps) {
  const { voices } = words.value
  const filters = useFilters()
  const { search, language: spoken, gender, engine } = filters
  const options = useMemo(() => optionsOf(of), [of, language.value])
  const found = useMemo(() => filterVoices(of, filters), [of, search, spoken, gender, engine, language.value])
  if (of.length === 0)
    return (
      <Empty title={voices.catalogueEmpty}>
        <p>{voices.catalogueEmptyText}</p>
      </Empty>
    )
  return (
    <section class="stack" aria-labelledby="catalogue">
      <div class="row between">
        <h2 id="catalogue">{voices.catalogue}</h2>
        <p class="small faint" role="status">
          {voices.count(formatNumber(found.length), formatNumber(of.length))}
        </p>
      </div>
      <div class="filters voice-filters" role="search">
        <SearchField placeholder={voices.searchHint} value={search} onSearch={filters.setSearch} />
        <SelectField
          label={voices.language}
          name="language"
          value={spoken}
          onValue={filters.setLanguage}
          options={options.language}
        />
        <SelectField
          label={voices.gender}
          name="gender"
          value={gender}
          onValue={filters.setGender}
          options={options.gender}
        />
        <SelectField
          label={voices.engine}
          name="engine"
          value={engine}
          onValue={filters.setEngine}
          options={options.engine}
        />
      </div>
      {found.length === 0 ? (
        <Empty title={voices.noMatch}>
          <Button onClick={filters.clear}>{voices.clearFilters}</Button>
        </Empty>
      ) : (
        <Portions of={found}>
          {(shown) => (
            <ul class="voices">
              {shown.map((voice) => (
                <VoiceCard key={voice.id} voice={voice} isDefault={voice.id === defaultId} />
              ))}
            </ul>
          )}
        </Portions>
      )}
    </section>
  )
}
