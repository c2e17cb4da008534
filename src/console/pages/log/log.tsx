/** The page "Audit log": every operation of administrators, and on keys. */
import { FileClock, Search, X } from 'lucide'
import { api, dataOf } from '../../client/client'
import { usePages } from '../../client/load'
import { useQuery } from '../../client/query'
import { Button } from '../../parts/button'
import { SelectField } from '../../parts/form'
import { Card, Page } from '../../parts/page'
import { PeriodFields, usePeriod } from '../../parts/period'
import { Empty } from '../../parts/states'
import { EndlessList } from '../../parts/table'
import { words } from '../../words/words'
import { actorOf, Entry, sayAct, type Act } from './entry'

const rowsPerPage = 50

export default function Log() {
  const { navigation, account, common } = words.value
  const { log } = account
  const [act, setAct] = useQuery('act')
  const [actor, setActor] = useQuery('actor')
  const [subject, setSubject] = useQuery('subject')
  const period = usePeriod()
  const isFiltered = act !== '' || actor !== '' || subject !== '' || Object.keys(period.filter).length > 0
  const clear = () => {
    for (const set of [setAct, setActor, setSubject]) set('')
    period.choose('')
  }
  const list = usePages<Act>(
    (cursor) => {
      const query = {
        limit: rowsPerPage,
        ...period.filter,
        ...(act && { act }),
        ...(actor && { actor }),
        ...(subject && { subject }),
        ...(cursor && { cursor }),
      }
      return dataOf(api.GET('/api/v1/admin/audit-log', { params: { query } }))
    },
    [period.filter, act, actor, subject],
  )
  const known = Object.keys(log.acts)
  const acts = act === '' || known.includes(act) ? known : [act, ...known]
  // The name of the actor is known from what was found.
  const [found] = list.items
  const actorName = found && found.actor.includes(actor) ? actorOf(found).name : actor
  return (
    <Page title={navigation.log} lead={log.lead}>
      <Card>
        <div class="filters">
          <SelectField
            label={log.act}
            name="act"
            value={act}
            onValue={setAct}
            options={[{ value: '', label: common.all }, ...acts.map((value) => ({ value, label: sayAct(value) }))]}
          />
          <PeriodFields of={period} />
          {actor !== '' && (
            <Button icon={X} onClick={() => setActor('')}>
              {log.onlyActor(actorName)}
            </Button>
          )}
          {subject !== '' && (
            <Button icon={X} onClick={() => setSubject('')}>
              {log.onlySubject}
            </Button>
          )}
        </div>
        <EndlessList
          of={list}
          empty={
            isFiltered ? (
              <Empty icon={Search} title={log.noMatch}>
                <Button onClick={clear}>{log.clear}</Button>
              </Empty>
            ) : (
              <Empty icon={FileClock} title={log.none} />
            )
          }
        >
          {(items) => (
            <ol class="log">
              {items.map((entry) => (
                <Entry key={entry.id} of={entry} onActor={setActor} onSubject={setSubject} />
              ))}
            </ol>
          )}
        </EndlessList>
      </Card>
    </Page>
  )
}
