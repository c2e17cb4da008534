/**
 * Texts that have broken speech services: each gives a sound or a clear error, and never a hang, crash, memory growth
 * or audio of another request. Every text goes in full through the workers of the executable, with three voices; ten go
 * over HTTP too.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { durationSeconds } from '../../src/audio/pcm'
import { startDeadline } from '../../src/deadline'
import { createLogger } from '../../src/log'
import type { Job, JobOptions } from '../../src/workers/job'
import type { SynthesizeTask } from '../../src/workers/protocol'
import { createScheduler, type Scheduler } from '../../src/workers/scheduler'
import { render } from '../../src/speak/render'
import { readCatalogue } from '../../src/voice/catalogue'
import { peakOf, readWav } from '../sound'
import { modelOptions } from '../workers/model-options'
import { executable, startSonant, stopAndRemove, type Sonant } from './sonant'

const fill = (piece: string) => {
  const characters = [...piece.repeat(Math.ceil(2000 / [...piece].length))]
  return characters.slice(0, 2000).join('')
}

/** Whether the text has an audible part. */
type Kind = [name: string, text: string, audible: boolean]
const kinds: Kind[] = [
  ['2000 × a', 'a'.repeat(2000), true],
  ['2000 digits', '7'.repeat(2000), true],
  ['2000 × !', '!'.repeat(2000), false],
  ['2000 full stops', '.'.repeat(2000), false],
  ['mixed punctuation', fill('!?.,;:'), false],
  ['[[', fill('['), false],
  ['eSpeak phoneme brackets', 'Say [[h@l@U]] now', true],
  ['backslashes', fill('\\'), false],
  ['ampersands', fill('&'), false],
  ['one emoji', '😀', true],
  ['2000 emoji', fill('😀'), true],
  ['a family', '👨‍👩‍👧‍👦'.repeat(20), true],
  ['flags', '🇩🇪🇨🇳🇺🇸'.repeat(30), false],
  ['skin tones', '👍🏽👍🏿'.repeat(30), false],
  ['half a flag', 'x 🇩', true],
  ['keycaps', '1️⃣2️⃣#️⃣', true],
  ['right to left', 'שלום עולם, مرحبا بالعالم', true],
  ['bidirectional overrides', 'abc \u202Edef\u202C ghi \u2066jkl\u2069', true],
  ['combining marks', `Z${'\u0300\u0301\u0302\u0303'.repeat(200)}algo`, true],
  ['only combining marks', '\u0301'.repeat(2000), false],
  ['control characters', Array.from({ length: 32 }, (_, i) => `a${String.fromCharCode(i)}`).join(''), true],
  ['null bytes', 'one\u0000two\u0000three', true],
  ['only null bytes', '\u0000'.repeat(50), false],
  ['delete and C1 controls', 'a\u007f\u0080\u009fb', true],
  ['zero-width characters', 'inv\u200bis\u200cib\u200dle\ufeff text', true],
  ['soft hyphens', 'soft\u00adhy\u00adphen', true],
  ['noncharacters', 'a\uffff\ufffe\u{1fffe}b', true],
  ['private use', '\ue000\uf8ff hello', true],
  ['tag characters', `hello${String.fromCodePoint(0xe0041, 0xe0042)}`, true],
  ['replacement characters', '\ufffd\ufffd hello', true],
  ['SSML', '<speak><break time="3600s"/><prosody rate="x-slow">slow</prosody></speak>', true],
  ['SSML that reads a file', '<audio src="/etc/passwd"/> hello', true],
  ['SSML that changes the voice', '<voice xml:lang="de">Guten Tag</voice>', true],
  ['broken XML', '<a><b></a> & &nope; &#0; <![CDATA[x]]> hello', true],
  ['HTML with a script', '<script>alert(1)</script><b>bold</b>', true],
  ['a shell command', '$(rm -rf /); `id` | cat && echo "hi"', true],
  ['what looks like flags', '--voice slt -o /tmp/x -t hello', true],
  ['SQL', "'; DROP TABLE accounts; --", true],
  ['JSON', '{"text":"hello","n":[1,2,3]}', true],
  ['a format string', '%s %n %d %x', true],
  ['a path', '../../../etc/passwd', true],
  ['a long URL', `https://example.com/${'path/'.repeat(100)}?q=${'x'.repeat(200)}`, true],
  ['spaces around one letter', `${' '.repeat(99)}a${' '.repeat(1900)}`, true],
  ['2000 lines', fill('a\n'), true],
  ['exotic spaces', 'a\u00a0b\u2003c\u3000d\u2028e\u2029f', true],
  ['a word without end', fill('Donaudampfschifffahrt'), true],
  ['alternating scripts', fill('好a'), true],
  ['six scripts', fill('hello 你好 привет γειά مرحبا नमस्ते '), true],
  ['Thai without spaces', fill('สวัสดีชาวโลก'), true],
  ['hieroglyphs', '𓀀𓀁𓀂', true],
  ['mathematical letters', '𝓗𝓮𝓵𝓵𝓸 𝔴𝔬𝔯𝔩𝔡', true],
  ['full-width letters', 'Ｈｅｌｌｏ　ｗｏｒｌｄ', true],
  ['a number with 400 digits', `It is ${'1234567890'.repeat(40)} now`, true],
  ['numbers with commas', fill('1,'), true],
  ['decimals', fill('1.'), true],
  ['dates', fill('1/2/2024 '), true],
  ['money', fill('$1,000,000.99 '), true],
  ['all capitals', fill('HELLO WORLD '), true],
  ['quotes', fill('"\'“”‘’«»「」'), false],
  ['dashes', fill('-–—'), false],
]

/** Texts that could break the way of a request: its JSON, its count of characters and its log. */
const kindsOverHttp = [
  '2000 × a',
  '2000 full stops',
  '2000 emoji',
  'only combining marks',
  'bidirectional overrides',
  'control characters',
  'null bytes',
  'noncharacters',
  'SSML that reads a file',
  'a shell command',
]

/** The quickest of each kind: Latin letters in the Chinese one go to `en-clara`, of the kind of the default voice. */
const voiceIds = ['en-kevin', 'zh-mei', 'de-karl'] as const

function expectSpoken(wav: Uint8Array, audible: boolean): void {
  const pcm = readWav(wav)
  expect(durationSeconds(pcm)).toBeLessThan(2000)
  expect(peakOf(pcm)).toBeLessThan(0.98)
  if (audible) expect(peakOf(pcm)).toBeGreaterThan(0.1)
}

describe('hostile text through the executable', () => {
  let sonant: Sonant
  beforeAll(async () => {
    sonant = await startSonant()
  })
  afterAll(() => stopAndRemove(sonant))

  it.each(kinds.filter(([name]) => kindsOverHttp.includes(name)))(
    'is spoken in full, or is a silence without pronounceable text: %s',
    async (_name, text, audible) => {
      const response = await sonant.request('/api/v1/tts', {
        body: { text, voice_id: 'de-karl', format: 'wav', speed: 2 },
      })
      const answer = (await response.json()) as { url: string; units: number }
      expect([response.status, answer]).toEqual([200, expect.anything()])
      expect(answer.units).toBe([...text].length)
      expectSpoken(await (await fetch(answer.url)).bytes(), audible)
    },
    { timeout: 120_000 },
  )

  it('does not change the next ordinary text', async () => {
    const fresh = await startSonant()
    for (const voice_id of voiceIds) {
      const [after, before] = [
        await sonant.speak({ text: 'All is well, 一切都好.', voice_id }),
        await fresh.speak({ text: 'All is well, 一切都好.', voice_id }),
      ]
      expect(Bun.hash(after.audio)).toBe(Bun.hash(before.audio))
    }
    await stopAndRemove(fresh)
  })

  it('does not bring down a worker', () => {
    expect(sonant.log()).not.toContain('worker lost')
  })
})

/**
 * A scheduler that synthesizes equal utterances once. A worker gets a text in utterances of at most 300 characters, and
 * most texts here repeat a few of them.
 */
function synthesizingOnce(scheduler: Scheduler): Scheduler {
  const known = new Map<string, ReturnType<Job['synthesize']>>()
  const synthesizeWith = (job: Job) => (task: SynthesizeTask) => {
    const name = JSON.stringify(task)
    const sound = known.get(name) ?? job.synthesize(task)
    known.set(name, sound)
    return sound
  }
  return Object.create(scheduler, {
    openJob: {
      value(options: JobOptions): Job {
        const job = scheduler.openJob(options)
        return Object.create(job, { synthesize: { value: synthesizeWith(job) } }) as Job
      },
    },
  }) as Scheduler
}

describe('hostile text through the workers of the executable', () => {
  const catalogue = readCatalogue()
  let scheduler: Scheduler
  let once: Scheduler
  const warnings: string[] = []
  beforeAll(() => {
    scheduler = createScheduler({
      models: modelOptions,
      command: [executable, 'worker'],
      workers: 2,
      taskTimeoutMs: 60_000,
      workerMemoryMaxBytes: 1 << 30,
      jobsMax: 1000,
      horizonMs: 600_000,
      log: { ...createLogger('silent'), warn: (_fields, message) => warnings.push(message) },
    })
    once = synthesizingOnce(scheduler)
  })
  afterAll(() => scheduler.close())

  async function speak(text: string, voiceId: string): Promise<Uint8Array> {
    const voice = catalogue.find(voiceId)!
    const pieces: Uint8Array[] = []
    const sink = {
      async write(bytes: Uint8Array, position: number) {
        if (position === 0) pieces.unshift(bytes)
        else pieces.push(bytes)
      },
    }
    const fallbackVoiceFor = (script: string) => catalogue.fallbackVoiceFor(voice, script)
    const request = { text, voice, fallbackVoiceFor, speed: 2, format: 'wav', mp3SampleRate: undefined } as const
    await render(once, { ...request, queueKey: 'test', deadline: startDeadline(120_000) }, sink)
    return Buffer.concat(pieces)
  }

  it('covers at least 40 kinds', () => expect(kinds.length).toBeGreaterThanOrEqual(40))

  for (const voiceId of voiceIds)
    it.each(kinds)(
      `is spoken, or is a silence where nothing is to be said (${voiceId}): %s`,
      async (_name, text, audible) => {
        expectSpoken(await speak(text, voiceId), audible)
      },
    )

  it('does not bring down a worker', () => {
    expect(warnings).toEqual([])
  })
})
