/** Bundles the console for browsers. Names of files change with their content. */
import { basename, join } from 'node:path'

export type ConsoleFile = { readonly body: Blob; readonly contentType: string }

export const pageName = 'index.html'

/** The page `index.html` and the files that it loads, by name. Throws when the sources do not compile. */
export async function bundleConsole(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../console', pageName)],
    target: 'browser',
    minify: true,
    // A page of the console loads its code when it is opened.
    splitting: true,
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return new Map(outputs.map((output) => [basename(output.path), { body: output, contentType: output.type }]))
}
