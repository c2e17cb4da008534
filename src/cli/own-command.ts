/** How this program starts itself in another role: the executable is itself, under `bun run` bun needs the script. */
export function ownCommand(role: 'worker' | 'downloader'): readonly string[] {
  const script = Bun.main
  const compiled = script.startsWith('/$bunfs/') || script.includes('~BUN')
  return compiled ? [process.execPath, role] : [process.execPath, script, role]
}
