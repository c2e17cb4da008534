/** The page "Packs". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Packs() {
  return <Page title={words.value.navigation.packs}>{null}</Page>
}
