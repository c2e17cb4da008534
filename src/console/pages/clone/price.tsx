/** The price of a clone, and whether the balance pays it. */
import { api, dataOf } from '../../client/client'
import { useLoad } from '../../client/load'
import { formatNumber } from '../../format'
import { at } from '../../installation'
import { LinkButton } from '../../parts/button'
import { words } from '../../words/words'
import { hashOf } from './recording'
import { precheck, unknownHash } from './send'

export type Price = {
  readonly units: number | undefined
  readonly balance: number | undefined
  /** The account's voice that was made from the same file. */
  readonly own: string | undefined
}

/** The price of a clone of this file, or of a new one. */
export function usePrice(part: Blob | undefined): Price {
  const balance = useLoad(() => dataOf(api.GET('/api/v1/balance')), [])
  const checked = useLoad(async () => precheck((part && (await hashOf(part))) ?? unknownHash), [part])
  return {
    units: checked.data?.fee_units,
    balance: balance.data?.balance,
    own: checked.data?.own_voice?.display_name,
  }
}

export function PriceNote({ units, balance, own }: Price) {
  const { clone, navigation } = words.value
  if (own !== undefined) return <p class="note good">{clone.isOwn(own)}</p>
  if (units === undefined || balance === undefined) return null
  return (
    <div class={units > balance ? 'note warn' : 'price'}>
      <p>{clone.price(formatNumber(units), formatNumber(balance))}</p>
      {units > balance && <LinkButton href={at('/balance')}>{navigation.balance}</LinkButton>}
    </div>
  )
}
