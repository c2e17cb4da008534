/**
 * A downloader that sends every plain request to a local port, and writes the original addresses to a file, one JSON
 * line each. Its arguments are the port and the path of that file.
 */
import { appendFileSync } from 'node:fs'
import http from 'node:http'
import { runDownloader } from '../../src/net/download/downloader'

const [port, log] = process.argv.slice(2)
const { request } = http

http.request = ((url: URL, options: http.RequestOptions) => {
  options.lookup!(url.hostname, { all: true }, (_error, addresses) => {
    const named = (addresses as { address: string }[]).map(({ address }) => address)
    appendFileSync(log!, `${JSON.stringify(named)}\n`)
  })
  const lookup: typeof options.lookup = (_host, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }])
  return request(url, { ...options, port, lookup })
}) as typeof http.request

runDownloader()
