/** `/invitation#TOKEN`: a person joins an account. */
import { useLocation } from 'preact-iso'
import { api, dataOf } from '../../client/client'
import { at } from '../../installation'
import { words } from '../../words/words'
import { JoinPage } from './joining'

export function Invitation() {
  const { door } = words.value
  const { route } = useLocation()
  return (
    <JoinPage
      title={door.join}
      lead={door.joinText}
      action={door.joinAction}
      whenUsed={door.linkUsedInvitation}
      send={(body) => dataOf(api.POST('/api/v1/invitations/accept', { body }))}
      onEntered={() => route(at('/'), true)}
    />
  )
}
