/**
 * A hundred `kill -9` under load. The crash test of the suite is this trial in its short form; here it runs with more
 * kills.
 */
import { root } from '../run'
import { createFindings, type TrialOptions, type TrialResult } from './trial'

export async function tryKills({ size }: TrialOptions): Promise<TrialResult> {
  const findings = createFindings()
  const kills = size === 'full' ? 100 : 20
  const child = Bun.spawn([process.execPath, 'test', '--timeout', '600000', 'test/executable/crash.test.ts'], {
    cwd: root,
    env: { ...process.env, SONANT_TEST_KILLS: String(kills) },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const output = await new Response(child.stderr).text()
  for (let kill = 0; kill < kills; kill++) findings.try()
  if ((await child.exited) !== 0) findings.add(output.slice(-2000))
  return findings.result()
}
