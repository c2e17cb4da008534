/**
 * `probe.ts SECONDS URL…`: times GETs over kept-alive connections, the URLs in turns, and prints for each the list of
 * times in milliseconds. `AUTHORIZATION` in the environment is sent as that header. It is a separate process, so that
 * no other work delays its clock.
 */
const [seconds, ...urls] = process.argv.slice(2)
const pauseMs = 1
const headers = { authorization: process.env.AUTHORIZATION ?? '' }
const times: number[][] = urls.map(() => [])
const endAtMs = performance.now() + Number(seconds) * 1000
while (performance.now() < endAtMs) {
  for (const [i, url] of urls.entries()) {
    const sentAtMs = performance.now()
    await (await fetch(url, { headers })).arrayBuffer()
    times[i]!.push(performance.now() - sentAtMs)
    await Bun.sleep(pauseMs)
  }
}
console.log(JSON.stringify(times))
export {}
