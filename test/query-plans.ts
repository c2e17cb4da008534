/** The query plans of the statements that the code really prepares. */
import type { Database } from '../src/db/database'

type PlanNode = { readonly id: number; readonly parent: number; readonly detail: string }
export type QueryPlan = { readonly sql: string; readonly nodes: readonly PlanNode[] }

/** Explains one statement. Its parameters are bound to null. */
export function explain(db: Database, sql: string): QueryPlan {
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name!, null] as const)
  const values = names.length > 0 ? [Object.fromEntries(names)] : [...sql.matchAll(/\?/g)].map(() => null)
  return { sql, nodes: db.prepare<unknown[], PlanNode>(`EXPLAIN QUERY PLAN ${sql}`).all(...values) }
}

/**
 * Explains every SELECT, UPDATE and DELETE that `work` prepares, in order. `db` must be new: statements are prepared at
 * their first use only.
 */
export function plansOf(db: Database, work: () => unknown): QueryPlan[] {
  const prepare = db.prepare
  const statements: string[] = []
  db.prepare = ((sql: string) => {
    statements.push(sql)
    return prepare.call(db, sql)
  }) as Database['prepare']
  try {
    work()
  } finally {
    db.prepare = prepare
  }
  return statements.filter((sql) => /^\s*(SELECT|WITH|UPDATE|DELETE)\b/.test(sql)).map((sql) => explain(db, sql))
}

export const detailsOf = ({ nodes }: QueryPlan): string[] => nodes.map(({ detail }) => detail)

const isLoop = ({ detail }: PlanNode) => /^(SCAN|SEARCH) /.test(detail) && detail !== 'SCAN CONSTANT ROW'

/**
 * Finds whole scans that run once per row of another loop, which takes quadratic time: in a join behind an earlier
 * loop, or in a correlated subquery.
 */
export function repeatedScans({ nodes }: QueryPlan): string[] {
  const parents = new Map(nodes.map((node) => [node.id, node]))
  const isRepeated = (node: PlanNode): boolean => {
    for (let above = parents.get(node.parent); above; above = parents.get(above.parent))
      if (above.detail.startsWith('CORRELATED ')) return true
    return nodes.some((other) => other !== node && other.parent === node.parent && other.id < node.id && isLoop(other))
  }
  return nodes
    .filter((node) => isLoop(node) && node.detail.startsWith('SCAN ') && isRepeated(node))
    .map((n) => n.detail)
}
