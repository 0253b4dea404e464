import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Limits } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { type Attribute, AttributeReader, applyStylesheet, GRAPH_ATTRIBUTES, type Graph } from '../../graph/index.js'

/** Reads the prompt files now: the run keeps their text. */
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
 * A graph as it will run: prompt files, then the stylesheet, then the transforms of the user's
 * module in their order. Each step makes a new graph. Without transforms the run applies the
 * stylesheet, and so keeps where each value comes from.
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

/** The title of a run of this graph. */
export function titleOf(graph: Graph, fallback: string): string {
  const { attributes, name } = graph
  return attributes.get('label')?.value || attributes.get('goal')?.value || name || fallback
}

/** Checks that every input that the graph declares is given. @throws SignalboxError `E_INPUT` */
export function checkInputs(graph: Graph, inputs: Record<string, string>): Record<string, string> {
  const missing = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES)
    .names('inputs')
    .filter(name => inputs[name] === undefined)
  if (missing.length > 0)
    throw new SignalboxError('E_INPUT', `the graph needs ${missing.join(', ')}`, { next: `--input ${missing[0]}=…` })
  return inputs
}

/** The limits of a run: those given, else those that the graph declares. */
export function limitsOf(graph: Graph, given: Limits = {}): Limits {
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
