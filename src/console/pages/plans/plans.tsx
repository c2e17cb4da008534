/** `/admin/plans`: the voice plans, and the voices of the chosen one. */
import { Layers, Plus } from 'lucide'
import { useState } from 'preact/hooks'
import { api, dataOf, type Schema } from '../../client/client'
import { useLoad, usePoll } from '../../client/load'
import { useQuery } from '../../client/query'
import { formatNumber } from '../../format'
import { at } from '../../installation'
import { Button } from '../../parts/button'
import { Card, Page } from '../../parts/page'
import { Empty, Loaded } from '../../parts/states'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'
import { PlanCard } from './plan-card'
import { PlanNameDialog } from './plan-name-dialog'

type Plan = Schema<'Group'>

/** Another administrator may change them. */
const refreshMs = 20_000

export default function Plans() {
  const { navigation, administration } = words.value
  const { plans } = administration
  const [asked, setAsked] = useQuery('plan')
  const [isCreating, setCreating] = useState(false)
  const list = usePoll(() => dataOf(api.GET('/api/v1/admin/groups')), refreshMs)
  const voices = useLoad(() => dataOf(api.GET('/api/v1/admin/voices')), [])

  async function create(name: string): Promise<void> {
    const plan = await dataOf(api.POST('/api/v1/admin/groups', { body: { name, voices: [] } }))
    toast(plans.created(plan.name))
    setCreating(false)
    list.set({ ...list.data!, items: [...list.data!.items, plan] })
    setAsked(plan.id)
  }

  const createButton = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {plans.create}
    </Button>
  )
  return (
    <Page title={navigation.plans} lead={plans.lead} actions={list.data?.items.length !== 0 && createButton}>
      <Loaded of={list}>
        {({ items }) => {
          const chosen = asked === '' ? (items[0]?.id ?? '') : asked
          return items.length === 0 ? (
            <Card>
              <Empty icon={Layers} title={plans.none}>
                <p>{plans.noneText}</p>
                {createButton}
              </Empty>
            </Card>
          ) : (
            <>
              <PlanLinks items={items} chosen={chosen} />
              <Loaded of={voices}>
                {(all) => (
                  <Chosen
                    id={chosen}
                    items={items}
                    voices={all.items}
                    reload={list.reload}
                    onGone={() => setAsked('')}
                  />
                )}
              </Loaded>
            </>
          )
        }}
      </Loaded>
      {isCreating && (
        <PlanNameDialog
          title={plans.create}
          action={plans.createAction}
          onSave={create}
          onClose={() => setCreating(false)}
        />
      )}
    </Page>
  )
}

function PlanLinks({ items, chosen }: { readonly items: readonly Plan[]; readonly chosen: string }) {
  const { plans } = words.value.administration
  return (
    <nav aria-label={plans.list}>
      <ul class="plans">
        {items.map(({ id, name, voices }) => (
          <li key={id}>
            <a class="plan" href={at(`/admin/plans?plan=${id}`)} aria-current={id === chosen ? 'page' : undefined}>
              <span class="strong">{name}</span>
              <span class="small faint">{plans.count(formatNumber(voices.length))}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

type ChosenProps = {
  readonly id: string
  readonly items: readonly Plan[]
  readonly voices: readonly Schema<'ManagedVoice'>[]
  readonly reload: () => void
  readonly onGone: () => void
}

function Chosen({ id, items, voices, reload, onGone }: ChosenProps) {
  const { plans } = words.value.administration
  const plan = items.find((each) => each.id === id)
  if (plan) return <PlanCard key={id} plan={plan} voices={voices} reload={reload} onGone={onGone} />
  return (
    <Card>
      <Empty icon={Layers} title={plans.gone} />
    </Card>
  )
}
