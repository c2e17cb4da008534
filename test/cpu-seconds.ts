/** CPU time, for bounds on work that must hold on a busy machine too. */

/** Runs `work` and returns the CPU time of this process meanwhile, in seconds. */
export async function cpuSeconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
