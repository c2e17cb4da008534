/** `bun run trial [NAME…] [--full] [--seed N]`: attacks the built executable and prints the findings. */
import { trials } from './trials'

const { argv } = process
const size = argv.includes('--full') ? 'full' : 'short'
const seedAt = argv.indexOf('--seed')
const seed = seedAt < 0 ? Math.floor(Math.random() * 2 ** 31) : Number(argv[seedAt + 1])
const names = argv.slice(2).filter((name, i) => !name.startsWith('--') && argv[i + 1] !== '--seed')
const unknown = names.find((name) => !(name in trials))
if (unknown !== undefined || !Number.isSafeInteger(seed)) {
  console.error(`bun run trial [NAME…] [--full] [--seed N]; the names: ${Object.keys(trials).join(', ')}.`)
  process.exit(2)
}
for (const name of names.length > 0 ? names : Object.keys(trials)) {
  const { tried, findings } = await trials[name]!({ size, seed })
  console.log(`${name}: ${tried} tried, ${findings.length === 0 ? 'all held' : 'these did not hold'} (seed ${seed})`)
  for (const finding of findings) console.log(`  ${finding}`)
  if (findings.length > 0) process.exitCode = 1
}
