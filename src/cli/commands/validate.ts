import { EXIT } from '../../errors/index.js'
import { plural } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { describeDiagnostic, readGraph } from '../graphs/read-graph.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const { parsed, diagnostics, text } = await readGraph(context, String(args.file), {
    ...(options.handlers !== undefined && { handlers: String(options.handlers) }),
  })
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning').length
  const isBad = errors > 0 || (options.strict === true && diagnostics.length > 0)
  if (options.json) {
    context.json({ valid: errors === 0, nodes: parsed.graph.nodes.size, edges: parsed.graph.edges.length, diagnostics })
    return isBad ? EXIT.failed : EXIT.ok
  }
  for (const diagnostic of diagnostics) {
    if (diagnostic.severity === 'info' && !options.all && !options.strict) continue
    for (const line of describeDiagnostic(context, diagnostic, text)) context.out(line)
  }
  const notes = diagnostics.length - errors - warnings
  const counts = [
    plural(parsed.graph.nodes.size, 'node'),
    plural(parsed.graph.edges.length, 'edge'),
    plural(errors, 'error'),
    plural(warnings, 'warning'),
    ...(notes > 0 ? [`${plural(notes, 'note')}${options.all ? '' : ' (--all shows them)'}`] : []),
  ]
  context.out(
    `${errors > 0 ? context.style('red', 'not valid') : context.style('green', 'valid')}: ${counts.join(', ')}`,
  )
  return isBad ? EXIT.failed : EXIT.ok
}
