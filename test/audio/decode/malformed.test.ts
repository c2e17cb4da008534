import { describe, expect, it } from 'bun:test'
import { join } from 'node:path'
import { malformed } from './malformed'

const outcomes = ['decoded', 'empty', 'unknown', 'corrupt', 'unsupported', 'too_long', 'too_many_channels', 'timeout']
/** The malformed files themselves take up to 200 MB. */
const rssMbMax = 600
const childTimeoutMs = 110_000

type Line = { name: string; outcome: string; cpuSeconds: number; rssMb: number }

describe('malformed files, in a separate process', () => {
  it.each(Object.keys(malformed))(
    '%s: each is decoded or refused with little work, little memory and no console output',
    async (format) => {
      const child = Bun.spawn([process.execPath, join(import.meta.dir, 'malformed-child.ts'), format], {
        stdout: 'pipe',
        stderr: 'pipe',
        timeout: childTimeoutMs,
        killSignal: 'SIGKILL',
      })
      const [text, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
      // First: the last line of a child that was ended may be cut off.
      expect([await child.exited, errors]).toEqual([0, ''])
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line)
      expect(lines.map(({ name }) => name)).toEqual(malformed[format]!().map(([name]) => name))
      expect(lines.length).toBeGreaterThanOrEqual(60)
      expect(lines.filter(({ outcome }) => !outcomes.includes(outcome))).toEqual([])
      // CPU time, not wall time: the machine may be busy.
      expect(lines.filter(({ cpuSeconds }) => cpuSeconds > 2)).toEqual([])
      expect(lines.filter(({ rssMb }) => rssMb > rssMbMax)).toEqual([])
      // Some files must be decoded and some refused.
      const decoded = lines.filter(({ outcome }) => outcome === 'decoded').length
      expect(decoded).toBeGreaterThan(5)
      expect(lines.length - decoded).toBeGreaterThan(20)
    },
    childTimeoutMs + 5000,
  )
})
