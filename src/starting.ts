/** Prerequisites of a start: named files, the data directory, TLS and the address. Explains what is wrong with them. */
import type { KeyObject } from 'node:crypto'
import { constants } from 'node:fs'
import { access, mkdir, readFile } from 'node:fs/promises'
import { ConfigError, type Config } from './config'
import { AppError } from './errors'
import { BadJson, parseJson } from './json'

/** Reads the file that `setting` names. Throws `ConfigError`. */
export async function readNamedFile(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`${setting}: ${path} ${wrongWith(error, 'does not exist')}`)
  }
}

const wrongs: Readonly<Record<string, string>> = {
  EACCES: 'cannot be used: permission denied',
  EPERM: 'cannot be used: permission denied',
  EROFS: 'cannot be written: the file system is read-only',
  EISDIR: 'is a directory',
  ENOTDIR: 'has a parent that is not a directory',
  EEXIST: 'is a file; a directory is required',
  ENOSPC: 'cannot be made: the disk is full',
  ENAMETOOLONG: 'has too long a name',
}

function wrongWith(error: unknown, missing: string): string {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return missing
  const wrong = wrongs[code]
  if (wrong === undefined) throw error
  return wrong
}

/** Reads the seed file. Throws `ConfigError` when it is missing, is not valid JSON or is nested too deeply. */
export async function readSeed(path: string): Promise<unknown> {
  const text = await readNamedFile('--seed', path)
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof BadJson)) throw error
    const detail = error.cause instanceof Error ? `: ${error.cause.message}` : ''
    throw new ConfigError(`--seed: ${path} ${error.message}${detail}`)
  }
}

/** Creates the data directory if it is missing. Throws `ConfigError` when it cannot be created or written. */
export async function prepareDataDirectory({ dataDirectory }: Pick<Config, 'dataDirectory'>): Promise<void> {
  try {
    await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
    await access(dataDirectory, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new ConfigError(`--data: ${dataDirectory} ${wrongWith(error, 'cannot be made')}`)
  }
}

/** Reads certificate and key, and checks both and that they match. Throws `ConfigError`. */
export async function readTls({
  certPath,
  keyPath,
}: NonNullable<Config['tls']>): Promise<{ cert: string; key: string }> {
  const [cert, key] = await Promise.all([readNamedFile('--tls-cert', certPath), readNamedFile('--tls-key', keyPath)])
  const isKey = (text: string) => /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)
  const isCertificate = (text: string) => text.includes('-----BEGIN CERTIFICATE-----')
  if (!isCertificate(cert) && isKey(cert))
    throw new ConfigError(`--tls-cert: ${certPath} holds a private key and no certificate; are the two files swapped?`)
  if (!isKey(key) && isCertificate(key))
    throw new ConfigError(`--tls-key: ${keyPath} holds a certificate and no private key; are the two files swapped?`)
  // Loaded here, since most starts need no cryptography of Node's, whose code takes milliseconds to load.
  const { createPrivateKey, X509Certificate } = await import('node:crypto')
  const certificate = parse(() => new X509Certificate(cert), `--tls-cert: ${certPath} holds no certificate in PEM`)
  if (/ENCRYPTED/.test(key))
    throw new ConfigError(`--tls-key: ${keyPath} is encrypted; store it without a passphrase: openssl pkey -in FILE`)
  const privateKey = parse<KeyObject>(() => createPrivateKey(key), `--tls-key: ${keyPath} holds no private key in PEM`)
  if (!certificate.checkPrivateKey(privateKey))
    throw new ConfigError(`--tls-key: ${keyPath} is not the key of the certificate in ${certPath}`)
  return { cert, key }
}

function parse<T>(work: () => T, message: string): T {
  try {
    return work()
  } catch {
    throw new ConfigError(message)
  }
}

/** Explains why the server could not listen: `ConfigError`, `conflict` for a taken port, else the error itself. */
export async function explainListening(
  error: unknown,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new AppError('conflict', `port ${port} of ${host} is taken; --port names another one, 0 any that is free`)
  if (code === 'EACCES') return new ConfigError(`--port: ${port} is only for privileged users; take one from 1024 on`)
  const [{ isIP }, { lookup }] = await Promise.all([import('node:net'), import('node:dns/promises')])
  const isKnown = isIP(host) !== 0 || (await lookup(host).catch(() => undefined)) !== undefined
  if (!isKnown)
    return new ConfigError(`--host: "${host}" cannot be resolved; name an address of this machine, or 0.0.0.0`)
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL' || code === 'ENOTTY')
    return new ConfigError(`--host: ${host} is not an address of this machine; 0.0.0.0 is all of them`)
  return error
}
