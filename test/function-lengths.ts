/** Measures functions of a source text, for the rules of the source tree. */
import ts from 'typescript'

export type FunctionLength = {
  /** The function's name, or that of the variable or property that holds it; empty for others. */
  readonly name: string
  /** From its first line to that of its closing brace. */
  readonly lines: number
}

/** All functions, methods, accessors and arrows that have a body in braces, in order of their first line. */
export function functionLengths(text: string): FunctionLength[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true)
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const found: FunctionLength[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body && ts.isBlock(node.body as ts.Node))
      found.push({ name: nameOf(node), lines: lineAt(node.end) - lineAt(node.getStart(source)) + 1 })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.kind === ts.SyntaxKind.Constructor) return 'constructor'
  const { parent } = node
  const isHeld = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)
  return (node.name ?? (isHeld ? parent.name : undefined))?.getText() ?? ''
}
