/** The page "Balance". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Balance() {
  return <Page title={words.value.navigation.balance}>{null}</Page>
}
