/** In place of a page whose code did not come: the server does not answer, or was updated since the console was opened. */
import { RefreshCw } from 'lucide'
import { words } from '../words/words'
import { Button } from './button'
import { Page } from './page'
import { Empty } from './states'

export function NotLoaded() {
  const { errors } = words.value
  return (
    <Page title={errors.pageNotLoaded}>
      <Empty title={errors.pageNotLoadedText}>
        <Button kind="primary" icon={RefreshCw} onClick={() => location.reload()}>
          {errors.loadAgain}
        </Button>
      </Empty>
    </Page>
  )
}
