/**
 * The command that starts this program in another role: the executable itself, or bun with the script under `bun run`.
 */
export function ownCommand(role: 'worker' | 'downloader'): readonly string[] {
  const script = Bun.main
  const compiled = script.startsWith('/$bunfs/') || script.includes('~BUN')
  return compiled ? [process.execPath, role] : [process.execPath, script, role]
}
