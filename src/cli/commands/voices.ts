/** `sonant voices`: the list, installing packs by name, and what administrators set for single voices. */
import type { Group } from './description'

const hub = { takes: 'URL', says: 'a mirror with the paths of https://huggingface.co' } as const

export const voices = {
  summary: 'list the voices and packs; search, pull, change, remove one',
  defaultAct: 'list',
  acts: {
    list: {
      summary: 'every voice, the default first; with what was set for it, where there is a data directory',
      details: 'Below them the packs whose voices cannot be used.',
      flags: {},
      examples: ['sonant voices', 'sonant voices list --json'],
    },
    search: {
      summary: 'what the hub has by name; every word has to fit',
      details: 'Words are languages (en, en_US, Chinese), countries, qualities and parts of names.',
      argument: { takes: 'WORD', max: 16 },
      flags: { hub },
      examples: ['sonant voices search German', 'sonant voices search en_US ljspeech'],
    },
    pull: {
      summary: 'install a pack by name',
      details: 'Shows its licence first. One that breaks off goes on where it stopped.',
      argument: { takes: 'NAME', isRequired: true },
      flags: { hub },
      examples: ['sonant voices pull piper/en_US-ljspeech-high', 'sonant voices pull kokoro'],
    },
    update: {
      summary: 'change what is given',
      argument: { takes: 'VOICE', isRequired: true },
      flags: {
        active: { takes: 'true|false', says: 'false: nobody can use it' },
        public: { takes: 'true|false', says: 'whether accounts without a plan have it' },
        featured: { takes: 'true|false', says: 'whether it is at the head of the list' },
        position: { takes: 'N', says: 'among the featured ones; the lowest comes first' },
        'display-name': { takes: 'TEXT|none', says: 'a name of your own' },
        provider: { takes: 'auto|cpu|webgpu|cuda|coreml|dml|none', says: 'what computes its model' },
      },
      examples: [
        'sonant voices update en-clara --featured true --position 0',
        "sonant voices update en-ross --display-name 'Ross of Leeds'",
      ],
    },
    activate: {
      summary: 'let it be used again',
      argument: { takes: 'VOICE', isRequired: true },
      flags: {},
      examples: ['sonant voices activate zh-jun', 'sonant voices activate zh-jun --data /srv/sonant'],
    },
    deactivate: {
      summary: 'nobody can use it, nobody sees it',
      argument: { takes: 'VOICE', isRequired: true },
      flags: {},
      examples: ['sonant voices deactivate zh-jun', 'sonant voices deactivate zh-jun --data /srv/sonant'],
    },
    packs: {
      summary: 'the installed packs: how each one does, or why it cannot be used',
      flags: {},
      examples: ['sonant voices packs', 'sonant voices packs --json'],
    },
    rescan: {
      summary: 'look for changes in the packs now, and try those again that were refused',
      flags: {},
      examples: ['sonant voices rescan', 'sonant voices rescan --data /srv/sonant'],
    },
    remove: {
      summary: 'delete the pack of that name with its files',
      argument: { takes: 'NAME', isRequired: true },
      flags: {},
      examples: ['sonant voices remove kokoro', 'sonant voices remove piper-en_US-ljspeech-high'],
    },
  },
} as const satisfies Group
