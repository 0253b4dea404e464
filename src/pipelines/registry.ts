import { createHash } from 'node:crypto'
import type { GraphInput } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import type { EventData } from '../events/index.js'
import { type Attribute, type Graph, printDot, textOf } from '../graph/index.js'
import { ARGS_INPUT, type PipelineArgs, type ProfileCopy } from './args.js'
import type { Pipeline, PipelineConstructor, PipelineMetadata } from './base.js'
import { implementationPipeline } from './implementation/pipeline.js'
import { pullRequestPipeline } from './pull-request/pipeline.js'
import { reviewPipeline } from './review/pipeline.js'

export class UnknownPipelineError extends SignalboxError {
  constructor(name: string, known: readonly string[]) {
    super('E_UNKNOWN', `unknown pipeline "${name}" (known: ${known.join(', ')})`, {
      next: 'signalbox pipelines lists the known ones',
    })
  }
}

export interface PipelineRegistry {
  /** Returns a new instance on each call. @throws UnknownPipelineError */
  getPipeline(name: string): Pipeline
  has(name: string): boolean
  /** Sorted by name. */
  listPipelines(): PipelineMetadata[]
}

/** An immutable value: it is passed to whatever needs pipelines. */
export function createRegistry(constructors: Readonly<Record<string, PipelineConstructor>>): PipelineRegistry {
  const known = new Map(Object.entries(constructors))
  const names = [...known.keys()].sort()
  const getPipeline = (name: string): Pipeline => {
    const make = known.get(name)
    if (!make) throw new UnknownPipelineError(name, names)
    return make() as unknown as Pipeline
  }
  return Object.freeze({
    getPipeline,
    has: (name: string) => known.has(name),
    listPipelines: () => names.map(name => getPipeline(name).metadata),
  })
}

/** The pipelines that ship with Signalbox. */
export function builtInPipelines(): PipelineRegistry {
  return createRegistry({
    implementation: implementationPipeline as PipelineConstructor,
    pull_request: pullRequestPipeline as PipelineConstructor,
    review: reviewPipeline as PipelineConstructor,
  })
}

export interface PipelineRunOptions {
  title: string
  limits: NonNullable<EventData<'run.created'>['limits']>
  labels: Record<string, string>
  /** Who requested it; by default the local person. */
  person?: string
  sandbox?: NonNullable<EventData<'run.created'>['sandbox']>
  /** Workers may perform it. */
  placement?: NonNullable<EventData<'run.created'>['placement']>
  /** What of the project a worker checks again. */
  executable?: NonNullable<EventData<'run.created'>['executable']>
  /** The project, if it is not the repository that the run works with. */
  project?: string
}

/** The label that distinguishes pipeline runs from other graph runs. */
export const PIPELINE_LABEL = 'pipeline'

/** The creation data of a pipeline run: a graph run, with the graph and the arguments inside. */
export function pipelineRun(
  registry: PipelineRegistry,
  args: PipelineArgs,
  options: PipelineRunOptions,
): EventData<'run.created'> {
  const graph = withProfile(registry.getPipeline(args.pipeline).createGraph(), args.profile)
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
    workspace: { path: args.workspace.path, branch: null, base: args.workspace.base },
    from: null,
  }
  return {
    kind: 'graph',
    title: options.title,
    project: options.project ?? args.repository,
    cwd: args.workspace.path,
    person: options.person ?? 'local',
    input,
    limits: options.limits,
    labels: { ...options.labels, [PIPELINE_LABEL]: args.pipeline },
    ...(options.placement && { placement: options.placement }),
    ...(options.executable && { executable: options.executable }),
    ...(options.sandbox && { sandbox: options.sandbox }),
  }
}

/** Applies the profile's retries to the agent nodes, and its pace to the node that waits. */
function withProfile(graph: Graph, { maxRetries, retryPolicy, pull }: ProfileCopy): Graph {
  const own = (value: string): Attribute => ({ value, isQuoted: false, position: null, origin: 'own' })
  const nodes = new Map(
    [...graph.nodes].map(([id, node]) => {
      const shape = textOf(node.attributes, 'shape')
      const attributes = new Map(node.attributes)
      if (shape === 'insulator') {
        attributes.set('duration', own(`${Math.round(pull.pollS * 1000)}ms`))
        return [id, { ...node, attributes }] as const
      }
      if (shape !== 'box') return [id, node] as const
      attributes.set('max_retries', own(String(maxRetries)))
      attributes.set('retry_policy', own(retryPolicy))
      return [id, { ...node, attributes }] as const
    }),
  )
  return { ...graph, nodes }
}
