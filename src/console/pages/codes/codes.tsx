/** The page "Codes". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Codes() {
  return <Page title={words.value.navigation.codes}>{null}</Page>
}
