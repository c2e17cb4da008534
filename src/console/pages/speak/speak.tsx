/** The page "Speak". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Speak() {
  return <Page title={words.value.navigation.speak}>{null}</Page>
}
