/** The page "AllUsage". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function AllUsage() {
  return <Page title={words.value.navigation.allUsage}>{null}</Page>
}
