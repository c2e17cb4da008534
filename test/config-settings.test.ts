/** The settings in force as administrators see them: their values, their sources, and no secrets. */
import { expect, it } from 'bun:test'
import { readConfig, settingNames, type RawSettings } from '../src/config'
import { listSettings } from '../src/config/settings'

type Sources = { flags?: RawSettings; environment?: Record<string, string>; file?: RawSettings }

function list({ flags = {}, environment = {}, file = {} }: Sources = {}) {
  const config = readConfig(flags, environment, file, { cores: 4, memoryBytes: 8e9 })
  return new Map(listSettings(config).map(({ name, ...setting }) => [name as string, setting]))
}

it('has every setting once, with its default', () => {
  const settings = list()
  expect([...settings.keys()].sort()).toEqual([...settingNames].sort())
  for (const { source } of settings.values()) expect(source).toBe('default')
  const values = Object.fromEntries([...settings].map(([name, { value }]) => [name, value]))
  expect(values).toMatchObject({ port: 7788, workers: 4, provider: 'auto', 'base-url': null, ephemeral: false })
  expect(values).toMatchObject({ 'trusted-proxy': null, 'gpu-devices': null, 'admin-key': null, 'limit-tts': 60 })
})

it('names the source that counts', () => {
  const flags = { workers: '1', 'clone-url-allow': ['a:1', 'b:2'] }
  const environment = { SONANT_WORKERS: '2', SONANT_PORT: '8000', SONANT_HOST: '' }
  const file = { workers: 3, port: 9000, host: '::1', 'log-level': 'warn', 'gpu-devices': '0,2' }
  const settings = list({ flags, environment, file })
  expect(settings.get('workers')).toEqual({ value: 1, source: 'flag' })
  expect(settings.get('port')).toEqual({ value: 8000, source: 'environment' })
  expect(settings.get('log-level')).toEqual({ value: 'warn', source: 'sonant.toml' })
  expect(settings.get('gpu-devices')).toEqual({ value: '0,2', source: 'sonant.toml' })
  expect(settings.get('clone-url-allow')).toEqual({ value: 'a:1,b:2', source: 'flag' })
  // An empty variable hides the file, as in the settings themselves.
  expect(settings.get('host')).toEqual({ value: '127.0.0.1', source: 'default' })
})

it('hides secrets', () => {
  const key = 'a secret of the administrator'.replaceAll(' ', '-').padEnd(40, '-')
  const settings = list({ flags: { ephemeral: true, 'api-key': key }, environment: { SONANT_ADMIN_KEY: key } })
  expect(settings.get('admin-key')).toEqual({ value: '********', source: 'environment' })
  expect(settings.get('api-key')).toEqual({ value: '********', source: 'flag' })
  expect(JSON.stringify([...settings])).not.toContain('secret')
})
