/** `/admin/packs`: the installed voice packs, and more from the hub. */
import { Package, RefreshCw } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, dataOf } from '../../client/client'
import { usePoll } from '../../client/load'
import { Button } from '../../parts/button'
import { Card, Page } from '../../parts/page'
import { Empty, Loaded } from '../../parts/states'
import { attempt, toast } from '../../parts/toast'
import { words } from '../../words/words'
import { HubCard } from './hub-card'
import { InstallsCard } from './installs-card'
import { PackCard } from './pack-card'
import { UploadCard } from './upload-card'

/** While a pack is tested or installed, and otherwise: folders change by hand, too. */
const busyRefreshMs = 1500
/** After a change the server takes a moment to find the pack. */
const settlingMs = 10_000
const refreshMs = 15_000

export default function Packs() {
  const { navigation, administration } = words.value
  const { packs } = administration
  const [isChanging, setChanging] = useState(false)
  const list = usePoll(() => dataOf(api.GET('/api/v1/admin/packs')), isChanging ? busyRefreshMs : refreshMs)
  const { data } = list
  const changedAtMs = useRef(0)
  const isBusy =
    data !== undefined &&
    (data.counts.checking > 0 || data.installs.some(({ state }) => state === 'waiting' || state === 'downloading'))
  const isSettling = Date.now() - changedAtMs.current < settlingMs
  useEffect(() => setChanging(isBusy || isSettling), [isBusy, isSettling])
  const onChange = () => {
    changedAtMs.current = Date.now()
    setChanging(true)
    list.reload()
  }

  return (
    <Page title={navigation.packs} lead={packs.lead} actions={<RescanButton onDone={onChange} />}>
      <Loaded of={list} lines={6}>
        {({ items, installs }) => (
          <>
            <InstallsCard installs={installs} onChanged={onChange} />
            {items.length === 0 ? (
              <Card title={packs.installed}>
                <Empty icon={Package} title={packs.none}>
                  <p>{packs.noneText}</p>
                </Empty>
              </Card>
            ) : (
              <section class="stack" aria-label={packs.installed}>
                <h2>{packs.installed}</h2>
                <div class="packs">
                  {items.map((pack) => (
                    <PackCard key={pack.name} pack={pack} onRemoved={onChange} />
                  ))}
                </div>
              </section>
            )}
          </>
        )}
      </Loaded>
      <HubCard installed={data?.items.map(({ name }) => name).join() ?? ''} onInstalling={onChange} />
      <UploadCard onUploaded={onChange} />
    </Page>
  )
}

function RescanButton({ onDone }: { readonly onDone: () => void }) {
  const { packs } = words.value.administration
  const [isBusy, setBusy] = useState(false)

  async function rescan(): Promise<void> {
    setBusy(true)
    if (await attempt(() => dataOf(api.POST('/api/v1/admin/packs/rescan')))) toast(packs.rescanned)
    setBusy(false)
    onDone()
  }

  return (
    <Button icon={RefreshCw} isBusy={isBusy} title={packs.rescanHint} onClick={() => void rescan()}>
      {packs.rescan}
    </Button>
  )
}
