/** `sonant doctor` of the compiled executable, which extracts its library and runs a graph. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runSonant } from './sonant'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-doctor-'))
})
afterAll(() => rm(directory, { recursive: true }))

type Report = { ok: boolean; findings: { subject: string; state: string; says: string }[] }

function doctor(...flags: string[]): { exitCode: number | null; report: Report } {
  const env = { HOME: join(directory, 'home') }
  const { exitCode, stdout } = runSonant(['doctor', '--json', ...flags], { cwd: directory, env })
  return { exitCode, report: JSON.parse(stdout) as Report }
}

describe('sonant doctor', () => {
  it('computes on the CPU of a machine without further software', async () => {
    const { exitCode, report } = doctor('--provider', 'cpu')
    expect(report.findings.at(-1)).toMatchObject({ subject: 'neural', state: 'ok' })
    expect([exitCode, report.ok]).toEqual([0, true])
    expect(await readdir(join(directory, 'data/runtime'))).toEqual([expect.stringMatching(/libonnxruntime/)])
  })

  it('leaves nothing in the home directory, where onnxruntime would keep a device id for its telemetry', async () => {
    doctor('--provider', 'cpu')
    expect(await readdir(directory)).toEqual(['data'])
  })

  it('reports a configured library that does not work', () => {
    const { exitCode, report } = doctor('--ort-library', '/no/such/library.so')
    expect(report.findings.at(-1)).toMatchObject({ subject: 'neural', state: 'bad' })
    expect(report.findings.at(-1)!.says).toContain('/no/such/library.so')
    expect([exitCode, report.ok]).toEqual([1, false])
  })

  it('reports why the configured provider does not work, and the fallback', () => {
    const absent = process.platform === 'darwin' ? 'dml' : 'coreml'
    const { exitCode, report } = doctor('--provider', absent)
    const { state, says } = report.findings.at(-1)!
    expect([exitCode, state]).toEqual([1, 'bad'])
    expect(says).toMatch(
      new RegExp(`^${absent} does not work \\(.*${absent}.*\\), neural voices would be computed on cpu: `),
    )
  })

  it('reports a disk with less free space than required', () => {
    const { exitCode, stdout } = runSonant(['doctor', '--json'], {
      cwd: directory,
      env: { SONANT_MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER) },
    })
    expect((JSON.parse(stdout) as Report).findings.find(({ subject }) => subject === 'data')!.state).toBe('bad')
    expect(exitCode).toBe(1)
  })
})
