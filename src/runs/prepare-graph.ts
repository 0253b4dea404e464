import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Limits } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { type Attribute, AttributeReader, applyStylesheet, GRAPH_ATTRIBUTES, type Graph } from '../graph/index.js'

/** Whether a file that a prompt names is there, and inside of the repository: links are followed before that is judged. */
export function lookForPrompt(prompt: string, directory: string, root: string): 'ok' | 'missing' | 'outside' {
  const path = resolve(directory, prompt)
  if (!existsSync(path)) return 'missing'
  const inside = relative(realpathSync(root), realpathSync(path))
  return inside.startsWith('..') || inside.startsWith('/') ? 'outside' : 'ok'
}

/** Prompt files are read once, now: the run keeps their text. */
export function withPromptFiles(graph: Graph, directory: string): Graph {
  const nodes = new Map(
    [...graph.nodes].map(([id, node]) => {
      const prompt = node.attributes.get('prompt') ?? node.attributes.get('llm_prompt')
      if (!prompt?.value.startsWith('@')) return [id, node]
      const value = readFileSync(resolve(directory, prompt.value.slice(1)), 'utf8')
      const attributes = new Map<string, Attribute>(node.attributes)
      attributes.set('prompt', { value, isQuoted: true, place: prompt.place, origin: 'transform' })
      return [id, { ...node, attributes }]
    }),
  )
  return { ...graph, nodes }
}

/**
 * A graph as it will be run: files put in, the stylesheet applied, then what the user's own module makes of it, in the order that lists it. Each
 * step makes a new graph. Variables are filled in when a node comes to its turn. Without a module the stylesheet is left to the run, which
 * keeps where each value came from.
 */
export function transformGraph(
  graph: Graph,
  directory: string,
  transforms: readonly ((graph: Graph) => Graph)[] = [],
): Graph {
  const whole = withPromptFiles(graph, directory)
  if (transforms.length === 0) return whole
  return transforms.reduce((made, transform) => transform(made), applyStylesheet(whole))
}

/** What a run of this graph is called. */
export function titleOf(graph: Graph, fallback: string): string {
  const { attributes, name } = graph
  return attributes.get('label')?.value || attributes.get('goal')?.value || name || fallback
}

/** The values that a graph asks for. @throws SignalboxError `E_INPUT` when one is missing. */
export function checkInputs(graph: Graph, inputs: Record<string, string>): Record<string, string> {
  const missing = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES)
    .names('inputs')
    .filter(name => inputs[name] === undefined)
  if (missing.length > 0)
    throw new SignalboxError('E_INPUT', `the graph needs ${missing.join(', ')}`, { next: `--input ${missing[0]}=…` })
  return inputs
}

/** The budget that a graph sets, where whoever starts it sets none. */
export function budgetOf(graph: Graph, given: Limits = {}): Limits {
  const read = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES)
  const costUsd = given.costUsd ?? read.number('max_cost')
  const tokens = given.tokens ?? read.number('max_tokens')
  const timeMs = given.timeMs ?? read.durationMs('max_time')
  return {
    ...(costUsd !== null && { costUsd }),
    ...(tokens !== null && { tokens }),
    ...(timeMs !== null && timeMs > 0 && { timeMs }),
  }
}
