/**
 * What of the server's environment its child processes get: where programs and libraries look for their files, and what
 * GPU drivers are told. Nothing else, so that no key of the server is in the environment of a process that opens
 * foreign files.
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
/** Of the drivers of GPUs and what lies on them. */
const prefixes = ['CUDA_', 'CUDNN_', 'CUBLAS_', 'NVIDIA_', 'VK_', 'MESA_', 'RADV_', 'LIBGL_', '__GL', '__NV', 'XDG_']
/** As `NVIDIA_API_KEY`. */
const secretPattern = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH/

export function childEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) if (value !== undefined && isKept(name)) kept[name] = value
  return kept
}

/** Names count in any case, as on Windows. */
function isKept(name: string): boolean {
  const upper = name.toUpperCase()
  return names.has(upper) || (prefixes.some((prefix) => upper.startsWith(prefix)) && !secretPattern.test(upper))
}
