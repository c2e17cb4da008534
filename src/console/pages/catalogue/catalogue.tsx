/** The page "Catalogue". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Catalogue() {
  return <Page title={words.value.navigation.catalogue}>{null}</Page>
}
