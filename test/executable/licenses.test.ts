/** `sonant licenses` of the compiled executable. */
import { expect, it } from 'bun:test'
import { tmpdir } from 'node:os'
import { findBuiltIn } from '../../src/assets/built-in'
import { executable } from './sonant'

function print(...flags: string[]): string {
  const { stdout, exitCode } = Bun.spawnSync([executable, 'licenses', ...flags], { cwd: tmpdir() })
  expect(exitCode).toBe(0)
  return stdout.toString()
}

type Item = { name: string; version: string; license: string; text: string | null }
const listed = () => (JSON.parse(print('--json')) as { items: Item[] }).items

it('the licences are a list, and then every text once', () => {
  const text = print()
  expect(text).toStartWith('Sonant is free software under GPL-3.0-or-later.')
  const rule = `${'='.repeat(80)}\n`
  for (const { name, version, license, text: own } of listed()) {
    expect(text).toMatch(new RegExp(`^  ${RegExp.escape(`${name} ${version}`)} +${RegExp.escape(license)}`, 'm'))
    if (own !== null) expect(text.split(`${rule}\n${own}\n${rule}`)).toHaveLength(2)
  }
})

it('the licences tell of the built-in assets exactly when they are inside', () => {
  const items = listed()
  const hibari = items.find(({ name }) => name === 'hibari')
  expect(hibari !== undefined).toBe(findBuiltIn() !== undefined)
  if (!hibari) return
  expect(hibari.license).toBe('Apache-2.0')
  for (const words of [
    'Copyright 2026 Maureese Williams',
    'Apache License',
    'Kokoro-82M',
    'misaki',
    'ExplosionAI GmbH, 2016 spaCy',
  ])
    expect(hibari.text).toContain(words)
})
