/** Where the person is signed in, with the means to end each session. */
import { LogOut, MonitorSmartphone } from 'lucide'
import { useState } from 'preact/hooks'
import { api, dataOf, type Schema } from '../../client/client'
import type { Load } from '../../client/load'
import { signOut } from '../../client/session'
import { formatAgo, formatTime } from '../../format'
import { Button } from '../../parts/button'
import { ask } from '../../parts/dialog'
import { Badge } from '../../parts/figures'
import { Icon } from '../../parts/icon'
import { Card } from '../../parts/page'
import { Loaded } from '../../parts/states'
import { attempt, toast } from '../../parts/toast'
import { words } from '../../words/words'

type Session = Schema<'Session'>

export function Sessions({ of }: { readonly of: Load<{ items: Session[] }> }) {
  const { account } = words.value
  const askToLeave = () =>
    ask({
      title: `${account.everywhere}?`,
      text: account.everywhereText,
      action: account.everywhere,
      run: () => signOut('everywhere'),
    })
  return (
    <Card title={account.sessions}>
      <p class="faint">{account.sessionsText}</p>
      <Loaded of={of}>
        {({ items }) => (
          <ul class="sessions">
            {items.map((session) => (
              <OneSession key={session.id} of={session} onEnded={of.reload} />
            ))}
          </ul>
        )}
      </Loaded>
      <div class="actions">
        <Button icon={LogOut} onClick={askToLeave}>
          {account.everywhere}
        </Button>
      </div>
    </Card>
  )
}

function OneSession({ of: session, onEnded }: { readonly of: Session; readonly onEnded: () => void }) {
  const { account } = words.value
  const { id, device, current, created_at, last_used_at } = session
  const [isBusy, setBusy] = useState(false)
  const name = device ?? account.unknownDevice

  async function end(): Promise<void> {
    setBusy(true)
    await attempt(async () => {
      if (current) return signOut('here')
      await dataOf(api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } }))
      toast(account.ended)
    })
    setBusy(false)
    if (!current) onEnded()
  }

  return (
    <li>
      <Icon of={MonitorSmartphone} sizePixels={22} />
      <div>
        <p class="row">
          <span class="strong">{name}</span>
          {current && <Badge tone="good">{account.here}</Badge>}
        </p>
        <p class="faint small">
          {account.signedIn(formatTime(created_at))} · {account.lastUsed(formatAgo(last_used_at))}
        </p>
      </div>
      <Button isBusy={isBusy} aria-label={account.endOf(name)} onClick={() => void end()}>
        {account.end}
      </Button>
    </li>
  )
}
