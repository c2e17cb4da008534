/** The controls that choose which requests are shown. */
import { X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { Button } from '../../parts/button'
import { SelectField } from '../../parts/form'
import { PeriodFields } from '../../parts/period'
import { words } from '../../words/words'
import { statuses, type UsageControls } from './filter'
import type { Names } from './names'

type Props = {
  readonly of: UsageControls
  readonly voices: Names
  /** undefined: there is no choice of a key. */
  readonly keys: Names | undefined
  /** More controls, before the others. */
  readonly children?: ComponentChildren
}

export function UsageFilters({ of, voices, keys, children }: Props) {
  const { usage } = words.value.money
  const [key, setKey] = of.key
  const [voice, setVoice] = of.voice
  const [status, setStatus] = of.status
  return (
    <div class="filters">
      {children}
      <PeriodFields of={of.period} />
      {keys && (
        <SelectField
          label={usage.key}
          name="key"
          value={key}
          onValue={setKey}
          options={optionsOf(keys, usage.allKeys, key)}
        />
      )}
      <SelectField
        label={usage.voice}
        name="voice"
        value={voice}
        onValue={setVoice}
        options={optionsOf(voices, usage.allVoices, voice)}
      />
      <SelectField
        label={usage.status}
        name="status"
        value={status}
        onValue={setStatus}
        options={[
          { value: '', label: usage.allStatuses },
          ...statuses.map((each) => ({ value: each, label: usage.statuses[each] })),
        ]}
      />
      {of.isFiltered && (
        <Button icon={X} kind="quiet" onClick={of.clear}>
          {usage.clear}
        </Button>
      )}
    </div>
  )
}

/** The chosen one stands in the list even where its name is unknown: a deleted key, a deleted voice. */
function optionsOf(names: Names, all: string, chosen: string) {
  const known = [...names].map(([value, label]) => ({ value, label }))
  const isKnown = chosen === '' || names.has(chosen)
  return [{ value: '', label: all }, ...known, ...(isKnown ? [] : [{ value: chosen, label: chosen }])]
}
