/** Checks whether a graph's file may be passed to onnxruntime. */
import { realpathSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { readGraphFile, type GraphInfo } from './file'
import { BadGraphFile } from './wire'

/** Limits of the onnxruntime in `package.json` (1.30.0); test/speech/onnx/check.test.ts verifies them. */
export const opsetMax = 26
export const irVersionMax = 13

/**
 * Reads the header of the file at `path`. Throws `BadGraphFile` for files that onnxruntime cannot or should not open.
 */
export function checkGraphFile(path: string): GraphInfo {
  const info = readGraphFile(path)
  const { opset, irVersion, externalFiles } = info
  if (opset > opsetMax) throw new BadGraphFile(`has opset ${opset}; opsets up to ${opsetMax} are supported`)
  if (irVersion > irVersionMax)
    throw new BadGraphFile(`has IR version ${irVersion}; versions up to ${irVersionMax} are supported`)
  const directory = realpathSync(dirname(path))
  for (const { location, sizeBytesMin } of externalFiles) checkExternal(directory, location, sizeBytesMin)
  return info
}

function checkExternal(directory: string, location: string, sizeBytesMin: number): void {
  const path = realpath(join(directory, location))
  if (path === undefined) throw new BadGraphFile(`needs its parameters from ${location}, which is missing`)
  if (!path.startsWith(directory + sep))
    throw new BadGraphFile(`needs its parameters from ${location}, which is a link that leads out of the folder`)
  const { size, isFile } = describe(path)
  if (!isFile) throw new BadGraphFile(`needs its parameters from ${location}, which is not a file`)
  if (size < sizeBytesMin)
    throw new BadGraphFile(`needs ${sizeBytesMin} bytes of parameters from ${location}, which has only ${size}`)
}

/** The target of all links; undefined when missing. */
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
