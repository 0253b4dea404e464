import { EXIT } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { loadGraph, loadUserModule, readGraphFile } from '../../runs/index.js'
import { plural } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { describeDiagnostic } from '../runs/graph-errors.js'
import { withRuns } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'validate'>): Promise<number> {
  const { env, cwd } = context
  const search = { home: openHome(context), env, cwd }
  const module = await moduleOf(context, options)
  const { parsed, diagnostics, text } = await loadGraph(search, readGraphFile(cwd, args.file), {
    module,
    agent: options.agent,
  })
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning').length
  const isRefused = errors > 0 || (options.strict === true && diagnostics.length > 0)
  const { nodes, edges } = parsed.graph
  if (options.json) {
    context.json({ valid: errors === 0, nodes: nodes.size, edges: edges.length, diagnostics })
    return isRefused ? EXIT.failed : EXIT.ok
  }
  for (const diagnostic of diagnostics) {
    if (diagnostic.severity === 'info' && !options.all && !options.strict) continue
    for (const line of describeDiagnostic(context, diagnostic, text)) context.out(line)
  }
  const notes = diagnostics.length - errors - warnings
  const counts = [
    plural(nodes.size, 'node'),
    plural(edges.length, 'edge'),
    plural(errors, 'error'),
    plural(warnings, 'warning'),
    ...(notes > 0 ? [`${plural(notes, 'note')}${options.all ? '' : ' (--all prints them)'}`] : []),
  ]
  context.out(
    `${errors > 0 ? context.style('red', 'not valid') : context.style('green', 'valid')}: ${counts.join(', ')}`,
  )
  return isRefused ? EXIT.failed : EXIT.ok
}

/** Rules and names of handlers come from the module, which is executed: it needs trust. */
async function moduleOf(context: CommandContext, { handlers, trust, json }: InputOf<'validate'>['options']) {
  if (handlers === undefined) return null
  return withRuns(context, { mayAsk: !json }, start => loadUserModule(start, handlers, { trust }))
}
