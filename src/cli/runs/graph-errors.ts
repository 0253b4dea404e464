import type { Diagnostic } from '../../graph/index.js'
import type { LoadedGraph } from '../../runs/index.js'
import type { CommandContext } from '../context.js'

/**
 * Prints the errors of a graph before the command refuses it, and what its agents do not offer:
 * `validate` alone does not know the agents.
 */
export function printFindings(context: CommandContext, { diagnostics, text }: LoadedGraph): void {
  for (const diagnostic of diagnostics)
    if (diagnostic.severity === 'error' || diagnostic.rule === 'attribute_unused')
      for (const line of describeDiagnostic(context, diagnostic, text)) context.note(line)
}

/** `file:12:5 error rule: message`, the line, a caret, and a fix. */
export function describeDiagnostic(context: CommandContext, diagnostic: Diagnostic, text: string): string[] {
  const { file, line, column, severity, rule, message, fix } = diagnostic
  const position = [file ?? 'graph', line, column].filter(part => part !== null).join(':')
  const colour = severity === 'error' ? 'red' : severity === 'warning' ? 'yellow' : 'dim'
  const lines = [`${position} ${context.style(colour, severity)} ${rule}: ${message}`]
  const source = line === null ? undefined : text.split('\n')[line - 1]
  if (source !== undefined && column !== null && severity !== 'info') {
    const shown = source.replace(/\t/g, ' ')
    const from = Math.max(0, column - 1 - 60)
    lines.push(context.style('dim', `  ${shown.slice(from, from + 100)}`), `  ${' '.repeat(column - 1 - from)}^`)
  }
  if (fix !== undefined) lines.push(`  fix: ${fix}`)
  return lines
}
