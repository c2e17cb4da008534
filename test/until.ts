/** Waits for conditions that no event announces, such as a row of another process or a file on disk. */

const pollMs = 20

/** Polls until `condition` is true; the time limit of the test ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(pollMs)
}

/** Waits until the time, in milliseconds since 1970 or ISO 8601, is past on the clock of this machine. */
export function untilPast(time: number | string): Promise<void> {
  const endAtMs = new Date(time).getTime()
  return until(() => Date.now() > endAtMs)
}
