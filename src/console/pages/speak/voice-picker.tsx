/** The choice of a voice: a dialog with a search, filters, and a demo of each voice. */
import { Check } from 'lucide'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Schema } from '../../client/client'
import { formatLanguage, formatNumber } from '../../format'
import { Dialog } from '../../parts/dialog'
import { Badge } from '../../parts/figures'
import { SelectField, TextField } from '../../parts/form'
import { Icon } from '../../parts/icon'
import { ListenButton } from '../../parts/listen'
import { matchWords } from '../../parts/match-words'
import { Empty } from '../../parts/states'
import { words } from '../../words/words'

export type Voice = Schema<'Voice'>

/** Rows that are rendered at once; more as the reader scrolls. */
const rowsStep = 60

type Props = {
  readonly voices: readonly Voice[]
  readonly chosenId: string | undefined
  readonly onChoose: (voice: Voice) => void
  readonly onClose: () => void
}

type Filters = { readonly text: string; readonly language: string; readonly gender: string }

export function VoicePicker({ voices, chosenId, onChoose, onClose }: Props) {
  const { speak, common } = words.value
  const picker = useRef<HTMLDivElement>(null)
  // On a touch screen the keyboard would cover the voices.
  useEffect(() => {
    if (!matchMedia('(pointer: coarse)').matches) picker.current?.querySelector('input')?.focus()
  }, [])
  const [filters, setFilters] = useState<Filters>({ text: '', language: '', gender: '' })
  const searchable = useMemo(() => voices.map((voice) => ({ voice, text: searchTextOf(voice) })), [voices])
  const found = useMemo(() => filterVoices(searchable, filters), [searchable, filters])
  const languages = useMemo(() => languagesOf(voices), [voices])
  const change = (changes: Partial<Filters>) => setFilters({ ...filters, ...changes })
  const choices = [
    { value: '', label: common.all },
    { value: 'female', label: speak.female },
    { value: 'male', label: speak.male },
    ...(voices.some(({ owned }) => owned) ? [{ value: 'own', label: speak.ownClones }] : []),
  ]
  return (
    <Dialog title={speak.chooseVoice} onClose={onClose}>
      <div ref={picker} class="picker" onKeyDown={moveByArrows}>
        <TextField
          label={common.search}
          name="search"
          type="search"
          autocomplete="off"
          placeholder={speak.searchHint}
          value={filters.text}
          onValue={(text) => change({ text })}
        />
        <div class="filters">
          <SelectField
            label={speak.language}
            name="language"
            value={filters.language}
            onValue={(language) => change({ language })}
            options={[{ value: '', label: common.all }, ...languages]}
          />
          <SelectField
            label={speak.kind}
            name="gender"
            value={filters.gender}
            onValue={(gender) => change({ gender })}
            options={choices}
          />
        </div>
        <p class="faint small" role="status">
          {speak.voicesFound(found.length, formatNumber(found.length))}
        </p>
        <Rows
          key={`${filters.text}/${filters.language}/${filters.gender}`}
          {...{ voices: found, chosenId, onChoose }}
        />
      </div>
    </Dialog>
  )
}

function Rows({ voices, chosenId, onChoose }: Omit<Props, 'onClose'>) {
  const { speak } = words.value
  const [count, setCount] = useState(rowsStep)
  const end = useRef<HTMLLIElement>(null)
  const hasMore = count < voices.length
  useEffect(() => {
    if (!hasMore || !end.current) return
    const observer = new IntersectionObserver(([entry]) => entry!.isIntersecting && setCount(count + rowsStep))
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [hasMore, count])
  if (voices.length === 0) return <Empty title={speak.noVoiceFound}>{speak.noVoiceFoundText}</Empty>
  return (
    <ul class="voice-rows">
      {voices.slice(0, count).map((voice) => (
        <li key={voice.id} class="voice-row">
          <button
            type="button"
            class="voice-choice"
            aria-pressed={voice.id === chosenId}
            onClick={() => onChoose(voice)}
          >
            <span class="strong">{voice.display_name}</span>
            <span class="faint small">{describeVoice(voice)}</span>
            {voice.owned && <Badge tone="good">{speak.ownClone}</Badge>}
            {voice.id === chosenId && <Icon of={Check} />}
          </button>
          <ListenButton url={voice.demo_url} name={voice.display_name} />
        </li>
      ))}
      {hasMore && <li ref={end} aria-hidden="true" />}
    </ul>
  )
}

/** `American English · female`. */
export function describeVoice({ language, gender }: Pick<Voice, 'language' | 'gender'>): string {
  const { speak } = words.value
  return [formatLanguage(language), gender && speak[gender]].filter(Boolean).join(' · ')
}

function searchTextOf(voice: Voice): string {
  const { id, display_name, language, engine, description } = voice
  return [id, display_name, language, formatLanguage(language), engine, description].join(' ')
}

type Searchable = { readonly voice: Voice; readonly text: string }

function filterVoices(all: readonly Searchable[], { text, language, gender }: Filters): readonly Voice[] {
  const matches = matchWords(text)
  return all
    .filter(({ voice, text }) => {
      if (language !== '' && baseOf(voice.language) !== language) return false
      if (gender === 'own' ? !voice.owned : gender !== '' && voice.gender !== gender) return false
      return matches(text)
    })
    .map(({ voice }) => voice)
}

const baseOf = (language: string) => language.split('-')[0]!.toLowerCase()

function languagesOf(voices: readonly Voice[]) {
  const counts = new Map<string, number>()
  for (const { language } of voices) counts.set(baseOf(language), (counts.get(baseOf(language)) ?? 0) + 1)
  return [...counts]
    .map(([value, count]) => ({ value, label: `${formatLanguage(value)} (${formatNumber(count)})` }))
    .toSorted((a, b) => a.label.localeCompare(b.label))
}

/** The arrow keys lead from the search to the voices and from voice to voice. */
function moveByArrows(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const target = event.target as HTMLElement
  if (step === 0 || target instanceof HTMLSelectElement) return
  const picker = event.currentTarget as HTMLElement
  const stops = [...picker.querySelectorAll<HTMLElement>('input, .voice-choice')]
  const from = stops.findIndex((stop) => stop === target || stop.parentElement === target.parentElement)
  event.preventDefault()
  stops[Math.max(0, from + step)]?.focus()
}
