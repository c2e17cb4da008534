/**
 * `bun scripts/assets.ts [NAME…]`: puts the assets of the manifest, by default the built-in ones, into the cache
 * `.cache/assets/`, and prints the folder of each. Ends with 0 also when one cannot be had: build and run go on without it.
 */
import { fetchAssets } from './assets/fetch'
import { assets } from './assets/manifest'

const builtIn = Object.keys(assets).filter((name) => assets[name]!.isBuiltIn)
const names = process.argv.slice(2)
const unknown = names.find((name) => !Object.hasOwn(assets, name))
if (unknown !== undefined) {
  console.error(`there is no asset "${unknown}"; ${Object.keys(assets).join(', ')} are there`)
  process.exit(2)
}
for (const [name, folder] of await fetchAssets(names.length > 0 ? names : builtIn)) console.log(`${name}\t${folder}`)
