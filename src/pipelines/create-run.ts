import { createHash } from 'node:crypto'
import type { GraphInput } from '../engine/index.js'
import type { EventData } from '../events/index.js'
import { type Attribute, type Graph, printDot, textOf } from '../graph/index.js'
import { ARGS_INPUT, type PipelineArgs, type ProfileCopy } from './args.js'
import type { PipelineRegistry } from './registry.js'

export interface PipelineRunOptions {
  title: string
  /** Limits of the whole run. */
  limits: NonNullable<EventData<'run.created'>['limits']>
  labels: Record<string, string>
  /** Who requested it; by default the local person. */
  person?: string
}

/** The label that distinguishes pipeline runs from other graph runs. */
export const PIPELINE_LABEL = 'pipeline'

/** The creation data of a pipeline run: a graph run, with the graph and the arguments inside. */
export function pipelineRun(
  registry: PipelineRegistry,
  args: PipelineArgs,
  options: PipelineRunOptions,
): EventData<'run.created'> {
  const graph = withRetries(registry.getPipeline(args.pipeline).createGraph(), args.profile)
  const dot = printDot(graph)
  const input: GraphInput = {
    dot,
    file: null,
    hash: createHash('sha256').update(dot).digest('hex'),
    inputs: { [ARGS_INPUT]: JSON.stringify(args) },
    agent: args.profile.roles.developer.agent,
    model: null,
    permissions: null,
    // The gates of a pipeline decide themselves what is approved without a person.
    isAutoApproved: false,
    dryRun: null,
    // No branch here: a pipeline creates its own worktree and commits.
    workspace: { path: args.place.path, branch: null, base: args.place.base },
    from: null,
  }
  return {
    kind: 'graph',
    title: options.title,
    project: args.repository,
    cwd: args.place.path,
    person: options.person ?? 'local',
    input,
    limits: options.limits,
    labels: { ...options.labels, [PIPELINE_LABEL]: args.pipeline },
  }
}

/** Applies the profile's retries to the agent nodes. */
function withRetries(graph: Graph, { maxRetries, retryPolicy }: ProfileCopy): Graph {
  const own = (value: string): Attribute => ({ value, isQuoted: false, place: null, origin: 'own' })
  const nodes = new Map(
    [...graph.nodes].map(([id, node]) => {
      if (textOf(node.attributes, 'shape') !== 'box') return [id, node] as const
      const attributes = new Map(node.attributes)
      attributes.set('max_retries', own(String(maxRetries)))
      attributes.set('retry_policy', own(retryPolicy))
      return [id, { ...node, attributes }] as const
    }),
  )
  return { ...graph, nodes }
}
