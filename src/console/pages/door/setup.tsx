/** `/setup#TOKEN`: the first person of a new installation, its administrator. */
import { useLocation } from 'preact-iso'
import { api, dataOf } from '../../client/client'
import { at } from '../../installation'
import { words } from '../../words/words'
import { JoinPage } from './joining'

export function Setup() {
  const { door } = words.value
  const { route } = useLocation()
  return (
    <JoinPage
      title={door.setUp}
      lead={door.setUpText}
      action={door.setUpAction}
      whenUsed={door.linkUsedSetup}
      send={(body) => dataOf(api.POST('/api/v1/setup', { body }))}
      onEntered={() => route(at('/'), true)}
    />
  )
}
