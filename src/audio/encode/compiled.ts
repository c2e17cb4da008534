/** Libraries that Emscripten compiled to a CommonJS file with the WebAssembly inside. */

type Create = () => Promise<unknown>

/** Returns a new instance. `imported` is the default import: in a bundle it is the object of all exports. */
export async function instantiate<T>(imported: Create | { readonly default: Create }): Promise<T> {
  const create = typeof imported === 'function' ? imported : imported.default
  return (await create()) as T
}
