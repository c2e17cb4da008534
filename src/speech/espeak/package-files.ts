/**
 * The data of eSpeak NG (24 MB, mostly dictionaries), read out of the executable only as far as it is needed: whoever
 * works with an instance asks `fillOpened` afterwards, and does the work again where something was missing.
 */
import type { EspeakModule, FileNode } from '@echogarden/espeak-ng-emscripten'
import packagePath from '@echogarden/espeak-ng-emscripten/espeak-ng.data' with { type: 'file' }

export type PackageFiles = ReturnType<typeof packageFiles>

/** Dictionaries of languages that were not spoken lately are let go beyond this; Russian alone has 8.5 MB. */
const dictionaryBytesKept = 4e6

/**
 * The data package (24 MB, mostly dictionaries) as a buffer of zeros: Emscripten's files are views into it until they
 * are needed. A file that was opened while still empty is noted, filled, and the call repeated.
 */
export function packageFiles() {
  const source = Bun.file(packagePath)
  const buffer = new ArrayBuffer(source.size)
  const nodes = new Map<string, FileNode>()
  /** Each file's place in the package, which is also what it holds while it is empty. */
  const places = new Map<FileNode, Uint8Array>()
  const opened = new Set<FileNode>()
  /** Least recently used first. */
  const dictionaries = new Set<FileNode>()
  /** Those of the text at hand. */
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
    /** Fills what was opened empty since the last call; says whether there was any. */
    async fillOpened(): Promise<boolean> {
      if (opened.size === 0) return false
      await fillAll(opened)
      opened.clear()
      return true
    },
    /** Empties the dictionaries that were not needed for this text, the oldest first, down to what is kept. */
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
