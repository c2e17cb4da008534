/** Files of a pack that a person dropped or chose, with their paths in the pack. */

export type ChosenFile = { readonly path: string; readonly file: File }
export type ChosenFiles = {
  /** A name for the pack: that of the folder, or of the model. */
  readonly name: string
  readonly files: readonly ChosenFile[]
  readonly sizeBytes: number
}

/** Files of systems and editors, such as `.DS_Store`. */
const isHidden = (path: string) => path.split('/').some((part) => part.startsWith('.') || part === 'Thumbs.db')

/** Where all files are in one folder, its name becomes that of the pack and leaves their paths. */
function gather(found: readonly ChosenFile[]): ChosenFiles | undefined {
  const files = found.filter(({ path }) => !isHidden(path))
  if (files.length === 0) return undefined
  const folders = new Set(files.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')))
  const [folder = ''] = folders
  const isInFolder = folders.size === 1 && folder !== ''
  const inPack = isInFolder ? files.map(({ path, file }) => ({ path: path.slice(folder.length + 1), file })) : files
  const model = inPack.find(({ path }) => path.endsWith('.onnx'))?.path.replace(/^.*\/|\.onnx$/g, '')
  return {
    name: (isInFolder ? folder : (model ?? '')).replace(/[^A-Za-z0-9_+-]+/g, '-').replace(/^-+|-+$/g, ''),
    files: inPack,
    sizeBytes: inPack.reduce((sum, { file }) => sum + file.size, 0),
  }
}

/** The files of a field. `webkitRelativePath` begins with the folder, where one was chosen. */
export function filesOf(list: FileList): ChosenFiles | undefined {
  return gather([...list].map((file) => ({ path: file.webkitRelativePath || file.name, file })))
}

/** The dropped files, and those in dropped folders. */
export async function filesDropped(items: DataTransferItemList): Promise<ChosenFiles | undefined> {
  // The list is empty as soon as the event has passed.
  const found = [...items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const read = found.map(({ entry, file }) => (entry ? readEntry(entry) : file ? [{ path: file.name, file }] : []))
  return gather((await Promise.all(read)).flat())
}

async function readEntry(entry: FileSystemEntry): Promise<ChosenFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    return [{ path: entry.fullPath.replace(/^\//, ''), file }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: ChosenFile[] = []
  for (;;) {
    // A folder is read a part at a time; the last part is empty.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (entries.length === 0) return found
    found.push(...(await Promise.all(entries.map(readEntry))).flat())
  }
}
