/** The verbs that need no data directory or only read it. */
import type { Command } from './description'

export const say = {
  summary: 'speak a text into a file; needs no server',
  details: `The text is the words of the command line, a file (-f), or standard input: "-", or a pipe when there are no
words. It can be of any length. Without -o and --play the audio goes to speech.mp3 in the current directory.

An audio file is replaced; any other file only with --force. Devices, FIFOs and /dev/stdout are written to as they are,
and a link keeps its target's name. -o - writes to standard output.`,
  argument: { takes: 'TEXT', max: Infinity },
  flags: {
    file: { takes: 'FILE', short: 'f', says: 'read the text from this file, in UTF-8' },
    output: { takes: 'FILE', short: 'o', says: 'ends in .mp3, .wav, .opus, .flac or .aac; -: standard output' },
    voice: { takes: 'VOICE', says: 'sonant voices lists them (default: the first of the list)' },
    speed: { takes: 'SPEED', says: 'from 0.5 to 2 (default 1)' },
    format: { takes: 'mp3|wav|opus|flac|aac', says: 'needed only without a file extension (default mp3)' },
    force: { says: 'replace a file that is not audio; write audio to a terminal' },
    play: { says: 'play it with an installed player; without -o it writes no file' },
  },
  examples: [
    'sonant say Hello from my machine -o hello.mp3',
    'sonant say -f chapter.txt --voice en-clara -o chapter.wav',
    'date | sonant say --play',
  ],
} as const satisfies Command

export const audit = {
  summary: 'check that the ledger balances',
  details: 'Otherwise prints the first difference and exits with 1. Works beside a running server.',
  flags: {},
  examples: ['sonant audit --data /srv/sonant', 'sonant audit --json'],
} as const satisfies Command

export const doctor = {
  summary: 'test what the service needs on this machine',
  details: 'Exits with 1 when a configured feature does not work.',
  flags: {
    provider: { takes: 'auto|cpu|webgpu|cuda|coreml|dml', says: 'compute provider of neural voices' },
    'ort-library': { takes: 'FILE', says: 'path of your own onnxruntime' },
  },
  examples: ['sonant doctor', 'sonant doctor --provider webgpu --json'],
} as const satisfies Command

export const licenses = {
  summary: 'print the licences of everything inside',
  details: 'First a list of the works, then their texts.',
  flags: {},
  examples: ['sonant licenses | less', 'sonant licenses --json'],
} as const satisfies Command

export const version = {
  summary: 'print the version',
  flags: {},
  examples: ['sonant version', 'sonant version --json'],
} as const satisfies Command

export const help = {
  summary: 'explain a verb, an operation or a topic',
  details: 'Topics are the documents of this version; sonant help topics lists them.',
  argument: { takes: 'TOPIC', max: 2 },
  flags: {},
  examples: ['sonant help say', 'sonant help account create', 'sonant help operating'],
} as const satisfies Command

export const completions = {
  summary: 'print the completions for a shell',
  details: `bash: source <(sonant completions bash), in ~/.bashrc
zsh: source <(sonant completions zsh), in ~/.zshrc behind compinit
fish: sonant completions fish > ~/.config/fish/completions/sonant.fish`,
  argument: { takes: 'bash|zsh|fish', isRequired: true },
  flags: {},
  examples: ['source <(sonant completions bash)', 'sonant completions fish > ~/.config/fish/completions/sonant.fish'],
} as const satisfies Command
