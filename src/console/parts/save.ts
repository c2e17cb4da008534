/** Saves a text that the browser made as a file of the person. */
export function saveText(text: string, fileName: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  // The browser reads it after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** One line of CSV as RFC 4180 writes it. */
export const csvLine = (values: readonly (string | number | null)[]): string =>
  `${values.map((value) => (/[",\r\n]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : `${value ?? ''}`)).join(',')}\r\n`
