/** The last requests of the account, each to hear. */
import type { Schema } from '../../client/client'
import type { Load } from '../../client/load'
import { formatAgo, formatDuration, formatNumber } from '../../format'
import { at } from '../../installation'
import { LinkButton } from '../../parts/button'
import { Badge } from '../../parts/figures'
import { ListenFault, PlayButton } from '../../parts/listen'
import { Card } from '../../parts/page'
import { Empty, Loaded } from '../../parts/states'
import { words } from '../../words/words'

type UsageRecord = Schema<'UsageRecord'>
type Props = {
  readonly records: Load<Schema<'UsagePage'>>
  /** By the id of the voice. */
  readonly names: ReadonlyMap<string, string>
}

export function RecentCard({ records, names }: Props) {
  const { overview } = words.value
  return (
    <Card title={overview.recent} actions={<LinkButton href={at('/usage')}>{overview.allRequests}</LinkButton>}>
      <Loaded of={records}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty title={overview.noRequests}>
              <LinkButton href={at('/speak')}>{overview.ownText}</LinkButton>
            </Empty>
          ) : (
            <ul class="recent">
              {records.map((record) => (
                <Row key={record.request_id} record={record} name={names.get(record.voice_id) ?? record.voice_id} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function Row({ record, name }: { readonly record: UsageRecord; readonly name: string }) {
  const { overview, common, errors } = words.value
  const sentences: Readonly<Record<string, string>> = errors.byCode
  const { kind, created_at, units, url, audio_ms, status, error_code } = record
  return (
    <li>
      <span class="recent-hear">{url && <PlayButton url={url} name={name} isSmall />}</span>
      <span class="recent-what">
        <span class="strong">{kind === 'clone' ? overview.cloned(name) : name}</span>
        <span class="faint small">
          {[
            formatAgo(created_at),
            audio_ms !== null && formatDuration(audio_ms),
            error_code !== null && (sentences[error_code] ?? error_code),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        {url && <ListenFault url={url} />}
      </span>
      {status === 'failed' ? (
        <Badge tone="bad">{overview.failed}</Badge>
      ) : (
        <span class="small">{common.characters(formatNumber(units))}</span>
      )}
    </li>
  )
}
