import { createHash } from 'node:crypto'
import type { GraphInput } from '../engine/index.js'
import type { EventData } from '../events/index.js'
import { type Attribute, type Graph, printDot, textOf } from '../graph/index.js'
import { ARGS_INPUT, type PipelineArgs, type ProfileCopy } from './args.js'
import type { PipelineRegistry } from './registry.js'

export interface RunWish {
  title: string
  /** Budgets of the whole run. */
  limits: NonNullable<EventData<'run.created'>['limits']>
  labels: Record<string, string>
  /** Who wants it; the person of this machine where nobody is named. */
  person?: string
}

/** The label that tells runs of pipelines from those of other graphs. */
export const PIPELINE_LABEL = 'pipeline'

/** A run of a pipeline, as the engine is asked for it: a run of a graph, with the graph and the arguments inside. */
export function pipelineRun(registry: PipelineRegistry, args: PipelineArgs, wish: RunWish): EventData<'run.created'> {
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
    // Gates of a pipeline know themselves what may be approved without a person.
    isAutoApproved: false,
    dryRun: null,
    // The branch stays out: a pipeline makes its own worktree and its own commits.
    workspace: { path: args.place.path, branch: null, base: args.place.base },
    from: null,
  }
  return {
    kind: 'graph',
    title: wish.title,
    project: args.repository,
    cwd: args.place.path,
    person: wish.person ?? 'local',
    input,
    limits: wish.limits,
    labels: { ...wish.labels, [PIPELINE_LABEL]: args.pipeline },
  }
}

/** Attempts of agents, as the profile has them. */
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
