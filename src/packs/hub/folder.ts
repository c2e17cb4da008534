/** The folders of packs that come from a hub. */

/** Folder of the pack, from any source. */
export function folderOfPack(name: string): string {
  return name.replace('/', '-')
}
