/**
 * `bun scripts/assets/optimize-graph.ts FROM TO` applies onnxruntime's optimizations to a graph once, so that every
 * process opens it in a third of the time. Only those that suit every processor: the file is embedded. It is a process of
 * its own because the environment must switch off onnxruntime's telemetry before the library is loaded.
 */
import { InferenceSession } from 'onnxruntime-node'

const [from, to] = process.argv.slice(2)
const session = await InferenceSession.create(from!, {
  executionProviders: ['cpu'],
  graphOptimizationLevel: 'extended',
  optimizedModelFilePath: to!,
  logSeverityLevel: 3,
})
await session.release()
