/**
 * `bun scripts/assets.ts NAME…` puts assets of the manifest into the cache `.cache/assets/` and prints the folder of each.
 * Without names it does so with the built-in ones and compiles what the program reads at run time. Ends with 0 also when one cannot be had: build and run go on without it.
 */
import { prepareBuiltIn } from './assets/built-in'
import { fetchAssets } from './assets/fetch'
import { assets } from './assets/manifest'

const names = process.argv.slice(2)
const unknown = names.find((name) => !Object.hasOwn(assets, name))
if (unknown !== undefined) {
  console.error(`there is no asset "${unknown}"; ${Object.keys(assets).join(', ')} are there`)
  process.exit(2)
}
if (names.length === 0) await prepareBuiltIn()
else for (const [name, folder] of await fetchAssets(names)) console.log(`${name}\t${folder}`)
