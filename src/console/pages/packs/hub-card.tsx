/** Searches the hub for packs, and installs them after their licence was shown. */
import { Download, SearchX } from 'lucide'
import { useState } from 'preact/hooks'
import { api, dataOf, type Schema } from '../../client/client'
import { useLoad } from '../../client/load'
import { useQuery } from '../../client/query'
import { formatNumber, formatSize } from '../../format'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Facts } from '../../parts/facts'
import { Badge } from '../../parts/figures'
import { Form } from '../../parts/form'
import { LongList } from '../../parts/long-list'
import { Card } from '../../parts/page'
import { SearchField } from '../../parts/search'
import { Empty, Loaded } from '../../parts/states'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'

type Found = Schema<'HubPackList'>['items'][number]
type Props = {
  /** The installed packs: with others the results load again. */
  readonly installed: string
  readonly onInstalling: () => void
}

export function HubCard({ installed, onInstalling }: Props) {
  const { packs } = words.value.administration
  const [q, setQ] = useQuery('q')
  const [all, setAll] = useQuery('all')
  const [chosen, setChosen] = useState<Found | undefined>(undefined)
  const isAsked = q !== '' || all !== ''
  return (
    <Card title={packs.find}>
      <p class="faint small">{packs.findText}</p>
      <SearchField label={packs.hubSearch} value={q} onSearch={setQ} />
      {isAsked ? (
        <Results q={q} installed={installed} onChoose={setChosen} />
      ) : (
        <div>
          <Button onClick={() => setAll('yes')}>{packs.showAll}</Button>
        </div>
      )}
      {chosen && <InstallDialog pack={chosen} onClose={() => setChosen(undefined)} onInstalling={onInstalling} />}
    </Card>
  )
}

type ResultsProps = Pick<Props, 'installed'> & { readonly q: string; readonly onChoose: (pack: Found) => void }

/** The hub is asked only when a person wants it: this server may have no way to it. */
function Results({ q, installed, onChoose }: ResultsProps) {
  const { packs } = words.value.administration
  const results = useLoad(() => dataOf(api.GET('/api/v1/admin/hub', { params: { query: { q } } })), [q, installed])
  return (
    <Loaded of={results} lines={5}>
      {({ items }) => (
        <>
          <p class="faint small" role="status">
            {packs.found(formatNumber(items.length))}
          </p>
          <LongList key={q} of={items} empty={<Empty icon={SearchX} title={packs.noneFound} />}>
            {(shown) => (
              <ul class="rows">
                {shown.map((pack) => (
                  <FoundRow key={pack.name} pack={pack} onChoose={() => onChoose(pack)} />
                ))}
              </ul>
            )}
          </LongList>
        </>
      )}
    </Loaded>
  )
}

function FoundRow({ pack, onChoose }: { readonly pack: Found; readonly onChoose: () => void }) {
  const { packs } = words.value.administration
  const { name, family, description, quality, speakers, size_bytes: size, installed } = pack
  const facts = [
    family,
    quality,
    speakers !== null && packs.speakers(formatNumber(speakers)),
    size !== null && formatSize(size),
  ].filter(Boolean)
  return (
    <li class="found-pack">
      <div>
        <span class="strong">{name}</span>
        <p class="small">{description}</p>
        <p class="small faint">{facts.join(' · ')}</p>
      </div>
      {installed ? (
        <Badge tone="good">{packs.isInstalled}</Badge>
      ) : (
        <Button icon={Download} aria-label={packs.installName(name)} onClick={onChoose}>
          {packs.install}
        </Button>
      )}
    </li>
  )
}

type DialogProps = Pick<Props, 'onInstalling'> & { readonly pack: Found; readonly onClose: () => void }

function InstallDialog({ pack: { name }, onClose, onInstalling }: DialogProps) {
  const { packs } = words.value.administration
  const details = useLoad(() => dataOf(api.GET('/api/v1/admin/hub/pack', { params: { query: { name } } })), [name])

  async function install(): Promise<void> {
    await dataOf(api.POST('/api/v1/admin/packs', { body: { name } }))
    toast(packs.begun(name))
    onInstalling()
    onClose()
  }

  return (
    <Dialog title={packs.installTitle(name)} onClose={onClose}>
      <Loaded of={details} lines={6}>
        {({ license, card, repository, size_bytes: size }) => (
          <Form onSubmit={install} action={packs.install} onCancel={onClose}>
            <Facts
              of={[
                { name: packs.license, value: <strong>{license ?? packs.licenseUnknown}</strong> },
                { name: packs.size, value: formatSize(size) },
                { name: packs.source, value: repository },
              ]}
            />
            <p>{packs.licenseFirst}</p>
            {card === null ? (
              <p class="faint small">{packs.noCard}</p>
            ) : (
              <pre class="model-card" tabIndex={0} aria-label={packs.card}>
                {card}
              </pre>
            )}
          </Form>
        )}
      </Loaded>
    </Dialog>
  )
}
