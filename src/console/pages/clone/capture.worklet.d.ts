/** The address of the worklet's script, relative to the page. */
declare const path: string
export default path
