/**
 * Random numbers of tests. A test that varies from run to run takes them from `random` and has `seeded` as a part of its
 * name, so that a failure shows the seed; SONANT_TEST_SEED=N repeats it.
 */
import { createRandom } from '../scripts/random'

export { createRandom, type Random } from '../scripts/random'

export const seed = Number(process.env.SONANT_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
export const seeded = `SONANT_TEST_SEED=${seed}`
export const random = createRandom(seed)
