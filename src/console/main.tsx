/** The entry of the console in the browser. */
import { render } from 'preact'
import { App } from './app'
import './theme'

render(<App />, document.getElementById('app')!)
