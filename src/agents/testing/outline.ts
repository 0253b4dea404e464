import type { AgentStatement } from '../report.js'

/** Statements in short form, one line each. */
export function outlineOf(statements: readonly AgentStatement[]): string[] {
  return statements.map(statement => {
    switch (statement.kind) {
      case 'tool':
        return `${statement.tool} ${statement.state}`
      case 'turn-ended':
        return `ended: ${statement.outcome}`
      case 'said':
        return statement.markdown
      case 'prompt':
        return `> ${statement.text}`
      default:
        return statement.kind
    }
  })
}
