/** A bare Bun server that prints one line when ready, the reference for the product's start and event loop. */
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({ ok: true }) })
console.log(JSON.stringify({ ready: true, base_url: `http://127.0.0.1:${server.port}` }))
