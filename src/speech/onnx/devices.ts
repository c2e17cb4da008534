/** Names of compute devices for operators, from the operating system; onnxruntime does not tell them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Provider } from './runtime-options'

const nvidiaDirectory = '/proc/driver/nvidia/gpus'
const drmDirectory = '/sys/class/drm'
/** PCI vendors of graphics cards. */
const vendors: Readonly<Record<string, string>> = { '0x10de': 'NVIDIA', '0x1002': 'AMD', '0x8086': 'Intel' }

/** Name of the device of `provider`, as far as the system tells. */
export function deviceName(provider: Provider): string {
  if (provider === 'cpu') return cpus()[0]?.model.trim() ?? 'CPU'
  return gpuNames().join(', ') || 'a GPU'
}

/** All GPUs known to Linux; empty on other systems. */
export function gpuNames(): string[] {
  const nvidia = list(nvidiaDirectory).map((name) => {
    return /^Model:\s*(.+)$/m.exec(read(join(nvidiaDirectory, name, 'information')))?.[1] ?? 'NVIDIA'
  })
  if (nvidia.length > 0) return nvidia
  return list(drmDirectory)
    .filter((name) => /^card\d+$/.test(name))
    .map((name) => {
      const vendor = read(join(drmDirectory, name, 'device/vendor')).trim()
      const device = read(join(drmDirectory, name, 'device/device')).trim()
      return `${vendors[vendor] ?? vendor} ${device}`
    })
}

/** Whether a GPU may exist; only Linux can rule it out. */
export function mayHaveGpu(): boolean {
  return process.platform !== 'linux' || existsSync('/dev/dri') || existsSync('/dev/nvidia0')
}

function list(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).sort() : []
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The file may not be readable for this user.
    return ''
  }
}
