/** The trials of `scripts/trial` in their short form; `bun run trial --full` is the long one. */
import { expect, it } from 'bun:test'
import { trials } from '../../scripts/trial/trials'
import { seed, seeded } from '../random'

/** Without the crash test, which has the short form in crash.test.ts. */
const elsewhere = ['kills']

for (const [name, run] of Object.entries(trials).filter(([each]) => !elsewhere.includes(each)))
  it(
    `holds against the trial of ${name} (${seeded})`,
    async () => {
      const { tried, findings } = await run({ size: 'short', seed })
      expect(findings).toEqual([])
      expect(tried).toBeGreaterThan(0)
    },
    { timeout: 180_000 },
  )
