/** The page "Account". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Account() {
  return <Page title={words.value.navigation.account}>{null}</Page>
}
