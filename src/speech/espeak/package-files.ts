/**
 * The data of eSpeak NG (24 MB, mostly dictionaries), read from the executable on demand. After each call, the user of
 * an instance calls `fillOpened` and repeats the call if files were missing.
 */
import type { EspeakModule, FileNode } from '@echogarden/espeak-ng-emscripten'
import packagePath from '@echogarden/espeak-ng-emscripten/espeak-ng.data' with { type: 'file' }

export type PackageFiles = ReturnType<typeof packageFiles>

/** Frees the least recently used dictionaries beyond this size; Russian alone has 8.5 MB. */
const dictionaryBytesKept = 4e6

/**
 * The data package as a zeroed buffer: Emscripten's files are views into it. A file opened while still empty is
 * recorded, filled, and the call repeated.
 */
export function packageFiles() {
  const source = Bun.file(packagePath)
  const buffer = new ArrayBuffer(source.size)
  const nodes = new Map<string, FileNode>()
  /** Each file's view into the package. */
  const places = new Map<FileNode, Uint8Array>()
  const opened = new Set<FileNode>()
  /** Least recently used first. */
  const dictionaries = new Set<FileNode>()
  /** Dictionaries of the current text. */
  const inUse = new Set<FileNode>()

  const isEmpty = (node: FileNode) => node.contents === places.get(node)

  async function fillAll(wanted: Iterable<FileNode>): Promise<void> {
    for (const node of wanted) {
      const { byteOffset, length } = places.get(node)!
      node.contents = await source.slice(byteOffset, byteOffset + length).bytes()
    }
  }

  function use(path: string, node: FileNode): void {
    if (isEmpty(node)) opened.add(node)
    if (!path.endsWith('_dict')) return
    dictionaries.delete(node)
    dictionaries.add(node)
    inUse.add(node)
  }

  return {
    buffer,
    watch(fs: EspeakModule['FS']) {
      const collect = (directory: FileNode, path: string) => {
        for (const [name, node] of Object.entries(directory.contents as Record<string, FileNode>)) {
          if (fs.isDir(node.mode)) collect(node, `${path}/${name}`)
          else if ((node.contents as Uint8Array | undefined)?.buffer === buffer) {
            nodes.set(`${path}/${name}`, node)
            places.set(node, node.contents as Uint8Array)
          }
        }
      }
      collect(fs.lookupPath('/').node, '')
      const open = fs.open
      fs.open = function (path, ...rest) {
        const name = String(path).replace(/\/+/g, '/')
        const node = nodes.get(name)
        if (node) use(name, node)
        return open.call(this, path, ...rest)
      }
    },
    fill: (pattern: RegExp) => fillAll([...nodes].filter(([path]) => pattern.test(path)).map(([, node]) => node)),
    /** Fills the files opened empty since the last call. Returns whether there were any. */
    async fillOpened(): Promise<boolean> {
      if (opened.size === 0) return false
      await fillAll(opened)
      opened.clear()
      return true
    },
    /** Empties dictionaries that this text did not need, least recently used first, down to the limit. */
    letGo(): void {
      let sizeBytes = 0
      for (const node of [...dictionaries].reverse()) {
        sizeBytes += places.get(node)!.length
        if (sizeBytes <= dictionaryBytesKept || inUse.has(node)) continue
        node.contents = places.get(node)!
        dictionaries.delete(node)
      }
      inUse.clear()
    },
  }
}
