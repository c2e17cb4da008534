/** The version of the program. The build inserts the commit. */
import manifest from '../package.json'

declare const SONANT_COMMIT: string | undefined

export const version: string = manifest.version
export const commit: string = typeof SONANT_COMMIT === 'string' ? SONANT_COMMIT : 'development'
/** The version of the library for neural voices that is built in. */
export const onnxruntimeVersion: string = manifest.dependencies['onnxruntime-node']
