/** The page "OneAccount". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function OneAccount() {
  return <Page title={words.value.navigation.accounts}>{null}</Page>
}
