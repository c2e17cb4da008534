/** The page "Clone". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Clone() {
  return <Page title={words.value.navigation.voices}>{null}</Page>
}
