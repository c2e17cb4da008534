/** The page "Accounts". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Accounts() {
  return <Page title={words.value.navigation.accounts}>{null}</Page>
}
