/** Writes `docs/commands.md`: the help of every verb and operation. A test fails while it is out of date. */
import { join } from 'node:path'
import { isGroup, verbs } from '../src/cli/commands/table'
import { helpFor } from '../src/cli/help'
import { replaceFile } from './run'

export const path = join(import.meta.dir, '../docs/commands.md')

export function describeCommands(): string {
  const sections = Object.entries(verbs).flatMap(([verb, found]) => [
    `## ${verb}\n\n${quote(helpFor(verb))}`,
    ...(isGroup(found)
      ? Object.keys(found.operations).map(
          (operation) => `### ${verb} ${operation}\n\n${quote(helpFor(verb, operation))}`,
        )
      : []),
  ])
  return `# Commands

What \`sonant help\` says of every verb and operation. Made by \`bun scripts/commands.ts\`.

${sections.join('\n')}`
}

function quote(help: string): string {
  return `\`\`\`text\n${help}\`\`\`\n`
}

if (import.meta.main) await replaceFile(path, describeCommands())
