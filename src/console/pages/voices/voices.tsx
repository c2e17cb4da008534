/** The page "Voices". */
import { Page } from '../../parts/page'
import { words } from '../../words/words'

export default function Voices() {
  return <Page title={words.value.navigation.voices}>{null}</Page>
}
