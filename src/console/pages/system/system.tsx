/** The page "System". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function System() {
  return <Page title={words.value.navigation.system}>{null}</Page>
}
