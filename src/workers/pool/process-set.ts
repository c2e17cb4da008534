/** The worker processes of the pool, and what each has loaded. */
import { driverBytesMax, writeRuntimeOptions, type RuntimeOptions } from '../../speech/onnx/runtime-options'
import { startWorkerProcess, type WorkerCommand, type WorkerProcess } from '../worker-process'
import { loadingFactor, modelBytesOf, type Load } from './models'

export type ProcessSet = ReturnType<typeof createProcessSet>

export function createProcessSet(options: {
  readonly command: WorkerCommand
  /** Without models. */
  readonly workerMemoryMaxBytes: number
  readonly runtimeDirectory: string
  /** A process has exited and is no longer in the set. */
  readonly onExit: (load: Load) => void
}) {
  /** Most recently used last. */
  const processes: WorkerProcess[] = []
  const loads = new Map<WorkerProcess, Load>()
  const loadOf = (worker: WorkerProcess) => loads.get(worker)!
  /** One thread, so that every machine makes the same sound. */
  const builtInRuntime: RuntimeOptions = { directory: options.runtimeDirectory, provider: 'cpu', threads: 1 }

  return {
    /** Most recently used last. */
    all: processes as readonly WorkerProcess[],

    /** The engines and models that processes have loaded or are loading. */
    loads: () => [...loads.values()],

    loadOf,

    /** Processes without a task, most recently used last. */
    idle: () => processes.filter((worker) => !worker.busy && !worker.gone),

    /** Processes that have loaded `key`, or are loading it. */
    holding: (key: string) => processes.filter((worker) => loadOf(worker).key === key && !worker.gone),

    /** Busy processes, without those that load a model. */
    get working(): number {
      return processes.filter((worker) => worker.busy && !loadOf(worker).isLoading).length
    },

    /** Throws when the command cannot be started. */
    start(load: Load, runtime = builtInRuntime): WorkerProcess {
      const worker = startWorkerProcess({
        command: options.command,
        memoryMaxBytes:
          options.workerMemoryMaxBytes + loadingFactor * modelBytesOf(load.voice) + driverBytesMax(runtime.provider),
        environment: writeRuntimeOptions(runtime),
        onExit(gone) {
          processes.splice(processes.indexOf(gone), 1)
          loads.delete(gone)
          options.onExit(load)
        },
      })
      loads.set(worker, load)
      processes.push(worker)
      return worker
    },

    /** Marks the process as most recently used. */
    touch(worker: WorkerProcess): void {
      processes.push(...processes.splice(processes.indexOf(worker), 1))
    },

    killAll(): void {
      for (const worker of processes) worker.kill()
    },
  }
}
