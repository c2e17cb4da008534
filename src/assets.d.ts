/** Files that are embedded in the executable; the import gives the path to read them from. */
declare module '*.wasm' {
  const path: string
  export default path
}
declare module '*.data' {
  const path: string
  export default path
}
declare module '*.css' {
  const path: string
  export default path
}
declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  const path: string
  export default path
}
declare module '*/flac/src/FLACDecoder.js' {
  export { FLACDecoder as default } from '@wasm-audio-decoders/flac'
}
