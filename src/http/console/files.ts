/**
 * The bundled console. The sources bundle it on its first request; the build replaces this module by one that returns the
 * files embedded in the executable.
 */
import { bundleConsole, type ConsoleFile } from './bundle'

/** The page `index.html` and the files that it loads, by name. */
export function readConsoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  return bundleConsole()
}
