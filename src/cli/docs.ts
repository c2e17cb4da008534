/** The documents embedded in the executable. Loaded on use. */
import { readDocs } from './read-docs' with { type: 'macro' }

export const docs: Readonly<Record<string, string>> = readDocs()
