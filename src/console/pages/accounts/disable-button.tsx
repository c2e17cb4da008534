/** Disables an account, after a question, or enables it. */
import { Ban, Power } from 'lucide'
import { api, dataOf } from '../../client/client'
import { Button } from '../../parts/button'
import { ask } from '../../parts/dialog'
import { attempt, toast } from '../../parts/toast'
import { words } from '../../words/words'
import type { Account } from './account-form'

type Props = { readonly account: Account; readonly onChanged: (account: Account) => void }

export function DisableButton({ account: { id, name, status }, onChanged }: Props) {
  const { accounts } = words.value.administration
  const params = { path: { id } }

  async function disable(): Promise<void> {
    onChanged(await dataOf(api.POST('/api/v1/admin/accounts/{id}/disable', { params })))
    toast(accounts.disableDone)
  }

  async function enable(): Promise<void> {
    onChanged(await dataOf(api.POST('/api/v1/admin/accounts/{id}/enable', { params })))
    toast(accounts.enableDone)
  }

  if (status === 'disabled')
    return (
      <Button icon={Power} kind="primary" onClick={() => void attempt(enable)}>
        {accounts.enable}
      </Button>
    )
  const question = {
    title: accounts.disableTitle(name),
    text: <p>{accounts.disableText}</p>,
    action: accounts.disable,
    run: disable,
  }
  return (
    <Button icon={Ban} onClick={() => ask(question)}>
      {accounts.disable}
    </Button>
  )
}
