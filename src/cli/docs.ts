/** The documents inside the executable. Loaded when one is asked for. */
import { readDocs } from './read-docs' with { type: 'macro' }

export const docs: Readonly<Record<string, string>> = readDocs()
