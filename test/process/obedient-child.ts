/** A child process that obeys commands: it allocates memory, ends, or hangs in a state where no signal is handled. */
import { dlopen } from 'bun:ffi'
import { followParent } from '../../src/process/parent'

export type Order = { readonly allocateBytes: number } | 'hang' | 'environment'
export type Report = 'ready' | { readonly isAllocated: boolean } | { readonly environment: NodeJS.ProcessEnv }

followParent()
const { symbols } = dlopen('libc.so.6', {
  malloc: { args: ['u64'], returns: 'ptr' },
  sleep: { args: ['u32'], returns: 'u32' },
})
process.on('message', (order: Order) => {
  if (order === 'hang') for (;;) symbols.sleep(3600)
  else if (order === 'environment') send({ environment: process.env })
  else send({ isAllocated: symbols.malloc(order.allocateBytes) !== null })
})
send('ready')

function send(report: Report): void {
  process.send!(report)
}
