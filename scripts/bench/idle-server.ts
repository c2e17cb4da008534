/** A bare Bun server that prints one line when ready: what the product's start and event loop are compared with. */
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({ ok: true }) })
console.log(JSON.stringify({ ready: true, base_url: `http://127.0.0.1:${server.port}` }))
