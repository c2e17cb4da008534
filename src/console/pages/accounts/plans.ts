/** The voice plans that an account may have. */
import { api, dataOf } from '../../client/client'
import { useLoad } from '../../client/load'
import { words } from '../../words/words'

/** Options of a field for the plan of an account; '' stands for none. */
export function usePlanOptions() {
  const { accounts } = words.value.administration
  const { data } = useLoad(() => dataOf(api.GET('/api/v1/admin/groups')), [])
  const plans = data?.items ?? []
  const options = [{ value: '', label: accounts.noPlan }, ...plans.map(({ id, name }) => ({ value: id, label: name }))]
  const nameOf = (id: string | null): string =>
    id === null ? accounts.noPlan : (plans.find((plan) => plan.id === id)?.name ?? '…')
  return { options, nameOf }
}
