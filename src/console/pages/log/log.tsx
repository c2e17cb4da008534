/** The page "Log". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Log() {
  return <Page title={words.value.navigation.log}>{null}</Page>
}
