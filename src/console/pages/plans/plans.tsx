/** The page "Plans". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Plans() {
  return <Page title={words.value.navigation.plans}>{null}</Page>
}
