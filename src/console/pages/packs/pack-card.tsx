/** One installed pack: its state, or why it cannot be used. */
import { Trash2 } from 'lucide'
import { api, dataOf, type Schema } from '../../client/client'
import { formatDecimal, formatNumber, formatSize } from '../../format'
import { IconButton } from '../../parts/button'
import { ask } from '../../parts/dialog'
import { Facts } from '../../parts/facts'
import { Badge, type Tone } from '../../parts/figures'
import { Card } from '../../parts/page'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'

type Pack = Schema<'Pack'>
type Props = { readonly pack: Pack; readonly onRemoved: () => void }

const tones: Record<Pack['state'], Tone> = { ready: 'good', checking: 'warn', refused: 'bad' }

export function PackCard({ pack, onRemoved }: Props) {
  const { packs } = words.value.administration
  const { name, state, reason, slow, advice, voices } = pack

  async function remove(): Promise<void> {
    await dataOf(api.DELETE('/api/v1/admin/packs/{id}', { params: { path: { id: name } } }))
    toast(packs.removed(name))
    onRemoved()
  }

  const askRemove = () =>
    ask({ title: packs.removeTitle(name), text: <p>{packs.removeText}</p>, action: packs.remove, run: remove })
  return (
    <Card title={name} actions={<IconButton icon={Trash2} label={packs.removeName(name)} onClick={askRemove} />}>
      <div class="row">
        <Badge tone={tones[state]}>{packs[state]}</Badge>
        {slow && <Badge tone="warn">{packs.slow}</Badge>}
      </div>
      {state === 'checking' && <p class="faint small">{packs.checkingText}</p>}
      {reason && (
        <div class="note bad">
          <p class="small">{reason}</p>
        </div>
      )}
      {advice && (
        <div class="note warn">
          <p class="small">{advice}</p>
        </div>
      )}
      {state === 'ready' && <Facts of={factsOf(pack)} />}
      {voices.length > 0 && (
        <details class="pack-voices">
          <summary>{packs.showVoices(formatNumber(voices.length))}</summary>
          <p class="small mono">{voices.join(', ')}</p>
        </details>
      )}
    </Card>
  )
}

function factsOf({ family, license, size_bytes, real_time_factor, loaded, expected_memory_bytes }: Pack) {
  const { packs } = words.value.administration
  const memory = loaded
    ? packs.loaded(formatNumber(loaded.processes), formatSize(loaded.memory_bytes))
    : expected_memory_bytes !== null && packs.expected(formatSize(expected_memory_bytes))
  return [
    { name: packs.family, value: family === 'converter' ? packs.converter : family },
    { name: packs.license, value: license ?? packs.licenseUnknown },
    ...(size_bytes === null ? [] : [{ name: packs.size, value: formatSize(size_bytes) }]),
    ...(real_time_factor === null
      ? []
      : [{ name: packs.factor, value: packs.factorValue(formatDecimal(Math.max(0.01, real_time_factor))) }]),
    ...(memory ? [{ name: packs.memory, value: memory }] : []),
  ]
}
