/**
 * `bare-elysia PATH`: an Elysia server that answers two paths with the JSON objects in that file and prints one line
 * when ready. It is the reference for the product's requests per second.
 */
import { Elysia } from 'elysia'
import { limits } from '../../src/config'

const { balance, voices } = (await Bun.file(process.argv.at(-1)!).json()) as { balance: object; voices: object }
const app = new Elysia({ serve: { idleTimeout: limits.idleConnectionSeconds, reusePort: false } })
  .get('/api/v1/balance', () => balance)
  .get('/api/v1/voices', () => voices)
  .listen({ hostname: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ ready: true, base_url: `http://127.0.0.1:${app.server!.port}` }))
