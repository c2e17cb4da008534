/** The addresses of the service and its audio for clients, from the configuration alone. */
import type { Config } from './config'

/** Whether `host` means all interfaces of the machine, in any notation. */
export function listensEverywhere(host: string): boolean {
  const hostname = URL.parse(`http://${host.includes(':') ? `[${host}]` : host}`)?.hostname ?? ''
  return ['0.0.0.0', '[::]', '[::ffff:0:0]'].includes(hostname)
}

/** The addresses of the service and of the audio files, for clients. */
export type Addresses = { readonly baseUrl: string; readonly storageUrl: string }

/** The addresses of a service that listens on `port`. */
export function addressesOf(config: Config, port: number): Addresses {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const reachable = listensEverywhere(config.host) ? '127.0.0.1' : host
  const baseUrl = config.baseUrl ?? `${config.tls ? 'https' : 'http'}://${reachable}:${port}`
  return { baseUrl, storageUrl: config.storageUrl ?? `${baseUrl}/audio` }
}
