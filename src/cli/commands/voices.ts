/** `sonant voices`: lists voices, installs packs by name, and changes settings of single voices. */
import type { Command } from './description'

const hub = { takes: 'URL', says: 'a mirror with the paths of https://huggingface.co' } as const

export const voicesList = {
  summary: 'list the voices, the default first, with their settings in the data directory',
  details: 'Also lists the packs that cannot be used.',
  flags: {},
  examples: ['sonant voices', 'sonant voices list --json'],
} as const satisfies Command

export const voicesSearch = {
  summary: 'search the hub; every word must match',
  details: 'Words are languages (en, en_US, Chinese), countries, qualities and parts of names.',
  argument: { takes: 'WORD', max: 16 },
  flags: { hub },
  examples: ['sonant voices search German', 'sonant voices search en_US ljspeech'],
} as const satisfies Command

export const voicesPull = {
  summary: 'install a pack by name',
  details: 'Shows its licence first. Resumes an interrupted download.',
  argument: { takes: 'NAME', isRequired: true },
  flags: { hub },
  examples: ['sonant voices pull piper/en_US-ljspeech-high', 'sonant voices pull kokoro'],
} as const satisfies Command

const activate: Command = {
  summary: 'allow the voice again',
  argument: { takes: 'VOICE', isRequired: true },
  flags: {},
  examples: ['sonant voices activate zh-jun', 'sonant voices activate zh-jun --data /srv/sonant'],
}

const deactivate: Command = {
  summary: 'hide and refuse the voice',
  argument: { takes: 'VOICE', isRequired: true },
  flags: {},
  examples: ['sonant voices deactivate zh-jun', 'sonant voices deactivate zh-jun --data /srv/sonant'],
}

/** The operations of `voices`: these, and those of the operations in between. */
export function voicesOperations({ update, ...others }: Readonly<Record<string, Command>>) {
  const first = { list: voicesList, search: voicesSearch, pull: voicesPull }
  return { ...first, update: update!, activate, deactivate, ...others }
}
