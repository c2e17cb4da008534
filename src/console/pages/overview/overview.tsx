/** The page "Overview". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Overview() {
  return <Page title={words.value.navigation.overview}>{null}</Page>
}
