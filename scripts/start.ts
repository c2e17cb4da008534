/** `bun run start`: installs what is missing and starts the service from the sources. */
import { install, root, run } from './run'

await install()
await run([process.execPath, 'scripts/assets.ts'])
await run([process.execPath, 'src/main.ts', 'serve', ...process.argv.slice(2)], { cwd: root })
