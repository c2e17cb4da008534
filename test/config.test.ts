/** The settings: their sources and their allowed values. */
import { describe, expect, it } from 'bun:test'
import { resolve } from 'node:path'
import { ConfigError, readConfig, type RawSettings } from '../src/config'

type Sources = { flags?: RawSettings; environment?: Record<string, string>; file?: RawSettings; cores?: number }

function read({ flags = {}, environment = {}, file = {}, cores = 4 }: Sources = {}) {
  return readConfig(flags, environment, file, { cores, memoryBytes: 8e9 })
}

function messageOf(sources: Sources): string {
  try {
    read(sources)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'accepted'
}

/**
 * Every setting that the file may hold: its name, its variable, its field, and three good values with what they are
 * read as.
 */
const settings = [
  ['host', 'SONANT_HOST', 'host', ['0.0.0.0', '::1', 'localhost'], ['0.0.0.0', '::1', 'localhost']],
  ['port', 'SONANT_PORT', 'port', ['0', '80', '65535'], [0, 80, 65_535]],
  [
    ...(['base-url', 'SONANT_BASE_URL', 'baseUrl'] as const),
    ['https://a.example/', 'http://b:8080', 'https://c.example/x//'],
    ['https://a.example', 'http://b:8080', 'https://c.example/x'],
  ],
  [
    ...(['storage-url', 'SONANT_STORAGE_URL', 'storageUrl'] as const),
    ['https://a.example/', 'http://b:8080', 'https://c.example/x'],
    ['https://a.example', 'http://b:8080', 'https://c.example/x'],
  ],
  [
    ...(['hub', 'SONANT_HUB', 'hub'] as const),
    ['https://mirror.example/hf/', 'http://10.0.0.1:8080', 'https://c.example'],
    ['https://mirror.example/hf', 'http://10.0.0.1:8080', 'https://c.example'],
  ],
  ['workers', 'SONANT_WORKERS', 'workers', ['1', '2', '256'], [1, 2, 256]],
  ['tts-seconds-max', 'SONANT_TTS_SECONDS_MAX', 'ttsSecondsMax', ['5', '60', '240'], [5, 60, 240]],
  ['mp3-sample-rate', 'SONANT_MP3_SAMPLE_RATE', 'mp3SampleRate', ['44100', '8000', '22050'], [44_100, 8000, 22_050]],
  ['min-free-bytes', 'SONANT_MIN_FREE_BYTES', 'minFreeBytes', ['0', '1', '1000000000000'], [0, 1, 1e12]],
  ['log-level', 'SONANT_LOG_LEVEL', 'logLevel', ['trace', 'silent', 'warn'], ['trace', 'silent', 'warn']],
] as const

describe('readConfig', () => {
  it('has a default for everything', () => {
    expect(read()).toMatchObject({
      host: '127.0.0.1',
      port: 7788,
      baseUrl: undefined,
      storageUrl: undefined,
      dataDirectory: resolve('data'),
      workers: 4,
      mp3SampleRate: undefined,
      hub: 'https://huggingface.co',
      minFreeBytes: 64 << 20,
      logLevel: 'info',
    })
    expect(read({ cores: 0 }).workers).toBe(1)
  })

  it.each(settings)('takes %s from flags over the environment over the file', (name, variable, field, given, taken) => {
    const [flags, environment, file] = [{ [name]: given[0] }, { [variable]: given[1] }, { [name]: given[2] }]
    expect(read({ flags, environment, file })[field]).toBe(taken[0])
    expect(read({ environment, file })[field]).toBe(taken[1])
    expect(read({ file })[field]).toBe(taken[2])
  })

  it('takes the data directory from flags over the environment, and not from the file, which is inside it', () => {
    const environment = { SONANT_DATA: 'b' }
    expect(read({ flags: { data: '/a' }, environment }).dataDirectory).toBe('/a')
    expect(read({ environment }).dataDirectory).toBe(resolve('b'))
    expect(messageOf({ file: { data: '/c' } })).toContain('"data"')
  })

  it('takes numbers from the file as numbers', () => {
    expect(read({ file: { port: 80, 'mp3-sample-rate': 44_100 } })).toMatchObject({ port: 80, mp3SampleRate: 44_100 })
  })

  it('takes servers to clone from as a list, as one text with commas, or none, and writes hosts as URLs do', () => {
    expect(read().cloneUrlAllow).toEqual([])
    const servers = ['Files.Intranet:8080', '[FD00::5]:80', '0x7f.1:65535']
    const expected = ['files.intranet:8080', '[fd00::5]:80', '127.0.0.1:65535']
    expect(read({ flags: { 'clone-url-allow': servers } }).cloneUrlAllow).toEqual(expected)
    expect(read({ environment: { SONANT_CLONE_URL_ALLOW: servers.join(', ') } }).cloneUrlAllow).toEqual(expected)
    expect(read({ file: { 'clone-url-allow': servers } }).cloneUrlAllow).toEqual(expected)
    expect(read({ flags: { 'clone-url-allow': 'a:1' }, file: { 'clone-url-allow': 'b:2' } }).cloneUrlAllow).toEqual([
      'a:1',
    ])
  })

  it.each([
    'a',
    'a:',
    ':80',
    'a:0',
    'a:65536',
    'a:80:80',
    'http://a:80',
    'a:80/x',
    'me@a:80',
    '::1:80',
    '[::1]',
    'a b:80',
    '*:80',
    '',
  ])('refuses "%s" for a server to clone from', (text) => {
    const value = `a:1,${text}`
    expect(messageOf({ flags: { 'clone-url-allow': value } })).toContain(
      `--clone-url-allow: found "${text}"; allowed is HOST:PORT`,
    )
  })

  it('takes the origins of pages as a list, as one text with commas, or none, and writes them as browsers do', () => {
    expect(read().corsOrigins).toEqual([])
    const origins = ['https://App.Example', 'http://localhost:3000', 'https://b.example:443']
    const expected = ['https://app.example', 'http://localhost:3000', 'https://b.example']
    expect(read({ flags: { 'cors-origin': origins } }).corsOrigins).toEqual(expected)
    expect(read({ environment: { SONANT_CORS_ORIGIN: origins.join(', ') } }).corsOrigins).toEqual(expected)
  })

  it.each(['*', 'app.example', 'https://app.example/', 'https://app.example/x', 'ftp://a', 'https://me@a', 'null', ''])(
    'refuses "%s" for the origin of a page',
    (text) => {
      expect(messageOf({ flags: { 'cors-origin': `https://a.example,${text}` } })).toContain(
        `--cors-origin: found "${text}"; allowed is the origin of a page`,
      )
    },
  )

  it('reads an empty value as missing', () => {
    expect(read({ environment: { SONANT_PORT: '', SONANT_BASE_URL: '' } })).toEqual(read())
  })

  const integers = ['-1', '1.5', 'many', '0x10000000000000000', 'NaN', 'Infinity']
  const mistakes: [name: string, values: string[], allowed: string][] = [
    ['port', [...integers, '65536'], '0 to 65535'],
    ['workers', [...integers, '0', '257'], '1 to 256'],
    ['tts-seconds-max', [...integers, '4', '241'], '5 to 240'],
    ['min-free-bytes', integers, 'from 0 to'],
    [
      'mp3-sample-rate',
      ['44000', '0', 'high', '44100Hz'],
      '8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000',
    ],
    ['log-level', ['loud', 'INFO'], 'trace, debug, info, warn, error, fatal, silent'],
    ['base-url', ['ftp://x', 'example.org', '//x', 'http://x?y=1', 'http://x#y', 'http://me@x'], 'http or https'],
    ['storage-url', ['ftp://x', 'example.org', '//x', 'http://x?y=1', 'http://x#y', 'http://me@x'], 'http or https'],
  ]
  it.each(mistakes)('refuses a bad %s with the value found and the values allowed', (name, values, allowed) => {
    const variable = `SONANT_${name.toUpperCase().replaceAll('-', '_')}`
    for (const value of values)
      for (const source of [
        { flags: { [name]: value } },
        { environment: { [variable]: value } },
        { file: { [name]: value } },
      ]) {
        const message = messageOf(source)
        expect(message).toContain(name)
        expect(message).toContain(`"${value}"`)
        expect(message).toContain(allowed)
        expect(message).not.toContain('\n')
      }
  })

  it('refuses an unknown setting of the file by name and lists the known ones', () => {
    for (const name of ['colour', 'baseUrl', 'Port', 'constructor']) {
      const message = messageOf({ file: { [name]: 'x' } })
      expect(message).toContain(`"${name}"`)
      for (const [known] of settings) expect(message).toContain(known)
    }
  })

  it('ignores unknown variables of the environment', () => {
    expect(read({ environment: { SONANT_COLOUR: 'red', PORT: '1', HOST: 'x' } })).toEqual(read())
  })
})
