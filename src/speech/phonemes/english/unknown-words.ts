/**
 * The network for words that the lexicons lack: letters → misaki's phonemes. Its answer is read as CTC: runs of equal
 * ids are one, zeros are nothing.
 */
import type { Runtime, Session } from '../../onnx/runtime'
import type { NetworkAlphabet } from './data'

const isApostrophe = (letter: string) => letter === "'" || letter === '’'

/** Throws when a graph is no network for unknown words. */
export function checkNetwork({ inputs, outputs }: Pick<Session, 'inputs' | 'outputs'>): void {
  if (inputs[0]?.name !== 'chars' || inputs[0].type !== 'int64' || outputs[0]?.type !== 'int64')
    throw new Error('the network for unknown words must map int64 `chars` to int64 ids')
}

/** Words whose reading is kept. */
const keptWordsMax = 1_000

export class UnknownWords {
  readonly #runtime: Runtime
  readonly #session: Session
  readonly #letterIds: ReadonlyMap<string, number>
  readonly #alphabet: NetworkAlphabet
  readonly #kept = new Map<string, string>()

  private constructor(runtime: Runtime, session: Session, alphabet: NetworkAlphabet) {
    this.#runtime = runtime
    this.#session = session
    this.#alphabet = alphabet
    this.#letterIds = new Map([...alphabet.letters].map((letter, at) => [letter, at + 1]))
  }

  /** `graph`: the file's path or bytes. Throws when it has other inputs or outputs, or cannot be opened. */
  static async open(runtime: Runtime, graph: string | Uint8Array, alphabet: NetworkAlphabet): Promise<UnknownWords> {
    const session = await runtime.openSession(graph, 'cpu')
    try {
      checkNetwork(session)
    } catch (error) {
      await session.release()
      throw error
    }
    return new UnknownWords(runtime, session, alphabet)
  }

  knows(word: string): boolean {
    return [...word].every((letter) => this.#letterIds.has(letter) || isApostrophe(letter))
  }

  /** Letters that the network does not know, and those after its limit, are silent. */
  async read(word: string): Promise<string> {
    const kept = this.#kept.get(word)
    if (kept !== undefined) return kept
    const ids = [...word].flatMap((letter) => this.#letterIds.get(letter) ?? []).slice(0, this.#alphabet.lettersMax)
    const phonemes = ids.length === 0 ? '' : await this.#run(ids)
    if (this.#kept.size >= keptWordsMax) this.#kept.delete(this.#kept.keys().next().value!)
    this.#kept.set(word, phonemes)
    return phonemes
  }

  async #run(ids: readonly number[]): Promise<string> {
    const chars = this.#runtime.int64(ids, [1, ids.length])
    const outputs = await this.#session.run({ chars })
    const output = Object.values(outputs)[0]!
    let phonemes = ''
    let previous = 0
    for (const id of Array.from(output.data as BigInt64Array, Number)) {
      if (id !== previous && id !== 0) phonemes += this.#alphabet.phonemes[id - 1] ?? ''
      previous = id
    }
    return phonemes
  }

  async close(): Promise<void> {
    await this.#session.release()
  }
}
