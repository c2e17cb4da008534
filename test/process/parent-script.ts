/** A parent of one hanging child. It writes the child's pid to standard output and waits to be killed. */
import { join } from 'node:path'
import { startChild } from '../../src/process/child'
import type { Order, Report } from './obedient-child'

const child = startChild<Report, Order>({
  command: [process.execPath, join(import.meta.dir, 'obedient-child.ts')],
  priority: 0,
  onMessage() {
    child.send('hang')
    console.log(child.pid)
  },
  onExit: () => process.exit(1),
})
