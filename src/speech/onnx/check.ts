/** Whether a graph's file may be given to onnxruntime. */
import { realpathSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { readGraphFile, type GraphInfo } from './file'
import { BadGraphFile } from './wire'

/** What the onnxruntime in `package.json` takes (1.30.0): found by asking it, which test/speech/onnx/check.test.ts does. */
export const opsetMax = 26
export const irVersionMax = 13

/** Reads the file at `path`. Throws `BadGraphFile` for what onnxruntime cannot open or should not. */
export function checkGraphFile(path: string): GraphInfo {
  const info = readGraphFile(path)
  const { opset, irVersion, externalFiles } = info
  if (opset > opsetMax) throw new BadGraphFile(`is of opset ${opset}; opsets up to ${opsetMax} are known`)
  if (irVersion > irVersionMax)
    throw new BadGraphFile(`is of IR version ${irVersion}; versions up to ${irVersionMax} are known`)
  const directory = realpathSync(dirname(path))
  for (const { location, sizeBytesMin } of externalFiles) checkExternal(directory, location, sizeBytesMin)
  return info
}

function checkExternal(directory: string, location: string, sizeBytesMin: number): void {
  const path = realpath(join(directory, location))
  if (path === undefined) throw new BadGraphFile(`wants its parameters from ${location}, which is not there`)
  if (!path.startsWith(directory + sep))
    throw new BadGraphFile(`wants its parameters from ${location}, which is a link that leads out of the folder`)
  const { size, isFile } = describe(path)
  if (!isFile) throw new BadGraphFile(`wants its parameters from ${location}, which is no file`)
  if (size < sizeBytesMin)
    throw new BadGraphFile(`wants ${sizeBytesMin} bytes of parameters from ${location}, which has only ${size}`)
}

/** Where links lead to, or undefined where there is nothing. */
function realpath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function describe(path: string): { size: number; isFile: boolean } {
  const stats = statSync(path)
  return { size: stats.size, isFile: stats.isFile() }
}
