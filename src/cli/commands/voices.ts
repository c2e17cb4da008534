/** `sonant voices`: lists voices, installs packs by name, and changes settings of single voices. */
import type { Group } from './description'

const hub = { takes: 'URL', says: 'a mirror with the paths of https://huggingface.co' } as const

export const voices = {
  summary: 'list the voices and packs; search, pull, change, remove one',
  defaultAct: 'list',
  acts: {
    list: {
      summary: 'list the voices, the default first, with their settings in the data directory',
      details: 'Also lists the packs that cannot be used.',
      flags: {},
      examples: ['sonant voices', 'sonant voices list --json'],
    },
    search: {
      summary: 'search the hub; every word must match',
      details: 'Words are languages (en, en_US, Chinese), countries, qualities and parts of names.',
      argument: { takes: 'WORD', max: 16 },
      flags: { hub },
      examples: ['sonant voices search German', 'sonant voices search en_US ljspeech'],
    },
    pull: {
      summary: 'install a pack by name',
      details: 'Shows its licence first. Resumes an interrupted download.',
      argument: { takes: 'NAME', isRequired: true },
      flags: { hub },
      examples: ['sonant voices pull piper/en_US-ljspeech-high', 'sonant voices pull kokoro'],
    },
    update: {
      summary: 'change the given fields',
      argument: { takes: 'VOICE', isRequired: true },
      flags: {
        active: { takes: 'true|false', says: 'false: hide and refuse the voice' },
        public: { takes: 'true|false', says: 'available to accounts without a plan' },
        featured: { takes: 'true|false', says: 'list it first' },
        position: { takes: 'N', says: 'order among featured voices, lowest first' },
        'display-name': { takes: 'TEXT|none', says: 'your own name for it' },
        provider: { takes: 'auto|cpu|webgpu|cuda|coreml|dml|none', says: 'compute provider of its model' },
      },
      examples: [
        'sonant voices update en-clara --featured true --position 0',
        "sonant voices update en-ross --display-name 'Ross of Leeds'",
      ],
    },
    activate: {
      summary: 'allow the voice again',
      argument: { takes: 'VOICE', isRequired: true },
      flags: {},
      examples: ['sonant voices activate zh-jun', 'sonant voices activate zh-jun --data /srv/sonant'],
    },
    deactivate: {
      summary: 'hide and refuse the voice',
      argument: { takes: 'VOICE', isRequired: true },
      flags: {},
      examples: ['sonant voices deactivate zh-jun', 'sonant voices deactivate zh-jun --data /srv/sonant'],
    },
    packs: {
      summary: 'list the installed packs with their state',
      flags: {},
      examples: ['sonant voices packs', 'sonant voices packs --json'],
    },
    rescan: {
      summary: 'check the packs for changes now, and probe refused ones again',
      flags: {},
      examples: ['sonant voices rescan', 'sonant voices rescan --data /srv/sonant'],
    },
    remove: {
      summary: 'delete a pack with its files',
      argument: { takes: 'NAME', isRequired: true },
      flags: {},
      examples: ['sonant voices remove kokoro', 'sonant voices remove piper-en_US-ljspeech-high'],
    },
  },
} as const satisfies Group
