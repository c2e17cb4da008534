/** The verbs that need no data directory, or only read it. */
import type { Command } from './description'

export const say = {
  summary: 'speak a text into a file; needs no server',
  details: 'Without -o the audio goes to speech.mp3 in the current directory.',
  argument: { takes: 'TEXT' },
  flags: {
    output: { takes: 'FILE', short: 'o', says: 'ends in .mp3 or .wav' },
    voice: { takes: 'VOICE', says: 'sonant voices lists them (default: the first of the list)' },
    speed: { takes: 'SPEED', says: 'from 0.5 to 2 (default 1)' },
    format: { takes: 'mp3|wav', says: 'where the name of the file does not tell (default mp3)' },
  },
  examples: ['sonant say "Hello" -o hello.mp3', 'sonant say "你好" --voice zh-mei -o hello.wav'],
} as const satisfies Command

export const audit = {
  summary: 'check that the books balance',
  details: 'Exits with 1 and the first difference when they do not. Works beside a running server.',
  flags: {},
  examples: ['sonant audit --data /srv/sonant', 'sonant audit --json'],
} as const satisfies Command

export const doctor = {
  summary: 'try what this machine has, and say what does not work',
  details: 'Exits with 1 when something does not work that the settings ask for.',
  flags: {
    provider: { takes: 'auto|cpu|webgpu|cuda|coreml|dml', says: 'what is to compute neural voices' },
    'ort-library': { takes: 'FILE', says: 'an onnxruntime of your own' },
  },
  examples: ['sonant doctor', 'sonant doctor --provider webgpu --json'],
} as const satisfies Command

export const version = {
  summary: 'print the version',
  flags: {},
  examples: ['sonant version', 'sonant version --json'],
} as const satisfies Command

export const help = {
  summary: 'explain a verb, an act or a topic',
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
