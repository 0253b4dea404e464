import { writeFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { systemClock } from '../../clock/index.js'
import { graphOf, graphWorkflow, readRun, runStream } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { type Drawing, drawDot, type Graph } from '../../graph/index.js'
import { openHome } from '../../host/home/index.js'
import { describeRun, drawingOf, drawMarkdown, drawSvg, loadGraph, readGraphFile } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { findRunFor, withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'graph'>): Promise<number> {
  const { output } = options
  const format = options.format ?? formatOf(output)
  const { graph, drawing } = await readSource(context, args.source)
  const text = await draw(context, graph, drawing, format)
  if (output === undefined || output === '-') {
    context.write(text)
    return EXIT.ok
  }
  writeFileSync(resolve(context.cwd, output), text)
  context.note(`${output}: ${graph.nodes.size} nodes, ${graph.edges.length} edges`)
  return EXIT.ok
}

type Format = 'svg' | 'dot' | 'md'

function formatOf(output: string | undefined): Format {
  const extension = output === undefined ? '' : extname(output).slice(1).toLowerCase()
  if (extension === '') return output === undefined ? 'md' : 'svg'
  const known = { svg: 'svg', dot: 'dot', gv: 'dot', md: 'md' } as const
  const format = known[extension as keyof typeof known]
  if (format) return format
  throw new SignalboxError('E_INPUT', `unknown format ".${extension}"`, { next: 'use .svg, .dot or .md' })
}

async function draw(context: CommandContext, graph: Graph, drawing: Drawing, format: Format): Promise<string> {
  if (format === 'dot') return drawDot(graph, drawing)
  if (format === 'md') return drawMarkdown(graph, drawing)
  const timeoutMs = openHome(context).loaded.config.graphs.draw_timeout * 1000
  const { svg, why } = await drawSvg(graph, drawing, { timeoutMs })
  if (why !== null) context.note(`drawn without Graphviz: ${why}; -o file.dot writes DOT for your own Graphviz`)
  return svg
}

/** A DOT file, or a run with what happened in it. */
async function readSource(context: CommandContext, word: string): Promise<{ graph: Graph; drawing: Drawing }> {
  if (!/^(run_|latest$)/.test(word)) {
    const { env, cwd } = context
    const { parsed } = await loadGraph({ home: openHome(context), env, cwd }, readGraphFile(cwd, word))
    const [problem] = parsed.problems
    if (problem)
      throw new SignalboxError('E_GRAPH', problem.message, {
        place: { file: word, ...problem.position },
        next: `signalbox validate ${word}`,
      })
    return { graph: parsed.graph, drawing: {} }
  }
  return withStore(context, async store => {
    const record = await findRunFor(context, store, word)
    if (record.kind !== 'graph') throw new SignalboxError('E_INPUT', `run ${record.id} is not a graph run`)
    const { work } = (await readRun(store, record.id, graphWorkflow)).run
    const described = await describeRun({ store, clock: systemClock }, record)
    const events = await store.readStream(runStream(record.id))
    return { graph: graphOf(work.input), drawing: drawingOf(events, described) }
  })
}
