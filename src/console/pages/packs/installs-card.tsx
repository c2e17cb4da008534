/** Installations that run, wait or have ended without a pack, each with its progress. */
import { X } from 'lucide'
import { api, dataOf, type Schema } from '../../client/client'
import { formatSize } from '../../format'
import { Button, IconButton } from '../../parts/button'
import { Badge, Bar, type Tone } from '../../parts/figures'
import { Card } from '../../parts/page'
import { attempt, toast } from '../../parts/toast'
import { words } from '../../words/words'

type Install = Schema<'Install'>
type Props = { readonly installs: readonly Install[]; readonly onChanged: () => void }

const tones: Record<Install['state'], Tone> = {
  waiting: 'plain',
  downloading: 'good',
  installed: 'good',
  failed: 'bad',
  cancelled: 'plain',
}

/** Shows nothing where there is none: what is installed stands among the packs. */
export function InstallsCard({ installs, onChanged }: Props) {
  const { packs } = words.value.administration
  const shown = installs.filter(({ state }) => state !== 'installed' && state !== 'cancelled')
  if (shown.length === 0) return null
  return (
    <Card title={packs.installs}>
      <ul class="rows">
        {shown.map((install) => (
          <InstallRow key={install.id} install={install} onChanged={onChanged} />
        ))}
      </ul>
    </Card>
  )
}

function InstallRow({ install, onChanged }: { readonly install: Install; readonly onChanged: () => void }) {
  const { packs } = words.value.administration
  const { id, name, state, license, received_bytes: received, size_bytes: size, reason } = install
  const isRunning = state === 'waiting' || state === 'downloading'

  async function cancel(): Promise<void> {
    const isDone = await attempt(() => dataOf(api.DELETE('/api/v1/admin/installs/{id}', { params: { path: { id } } })))
    if (isDone) toast(packs.cancelDone)
    onChanged()
  }

  async function again(): Promise<void> {
    await attempt(() => dataOf(api.POST('/api/v1/admin/packs', { body: { name } })))
    onChanged()
  }

  return (
    <li class="install">
      <div class="row between">
        <span class="row">
          <span class="strong">{name}</span>
          <Badge tone={tones[state]}>{state === 'installed' ? packs.isInstalled : packs[state]}</Badge>
          {license && <span class="faint small">{license}</span>}
        </span>
        {isRunning && <IconButton icon={X} label={packs.cancel(name)} onClick={() => void cancel()} />}
        {state === 'failed' && <Button onClick={() => void again()}>{packs.again}</Button>}
      </div>
      {isRunning && size !== null && (
        <>
          <Bar label={name} value={received} max={size} />
          <span class="faint small">{packs.progress(formatSize(received), formatSize(size))}</span>
        </>
      )}
      {reason && <p class="small bad-text">{reason}</p>}
    </li>
  )
}
