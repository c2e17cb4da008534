/**
 * The environment of child processes: only variables that locate programs, libraries and files, and those of GPU
 * drivers. A process that opens foreign files thus has no key of the server in its environment.
 */

const names: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'TMPDIR',
  'TZ',
  'LANG',
  'LC_ALL',
  'LD_LIBRARY_PATH',
  'LD_PRELOAD',
  'DYLD_LIBRARY_PATH',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  // Windows
  'SYSTEMROOT',
  'WINDIR',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
])
/** Variables of GPU drivers and the libraries on top of them. */
const prefixes = ['CUDA_', 'CUDNN_', 'CUBLAS_', 'NVIDIA_', 'VK_', 'MESA_', 'RADV_', 'LIBGL_', '__GL', '__NV', 'XDG_']
/** Names of secrets, such as `NVIDIA_API_KEY`. */
const secretPattern = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH/

export function childEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) if (value !== undefined && isKept(name)) kept[name] = value
  return kept
}

/** Ignores case, as Windows does. */
function isKept(name: string): boolean {
  const upper = name.toUpperCase()
  return names.has(upper) || (prefixes.some((prefix) => upper.startsWith(prefix)) && !secretPattern.test(upper))
}
