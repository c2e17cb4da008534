/** The page "Usage". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Usage() {
  return <Page title={words.value.navigation.usage}>{null}</Page>
}
