/** The page "Keys". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Keys() {
  return <Page title={words.value.navigation.keys}>{null}</Page>
}
