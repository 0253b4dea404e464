import { SignalboxError } from '../errors/index.js'
import type { Pipeline, PipelineConstructor, PipelineMetadata } from './base.js'
import { implementationPipeline } from './implementation/pipeline.js'
import { reviewPipeline } from './review/pipeline.js'

export class UnknownPipelineError extends SignalboxError {
  constructor(name: string, known: readonly string[]) {
    super('E_UNKNOWN', `Unknown pipeline: ${name} (known: ${known.join(', ')})`, {
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
    review: reviewPipeline as PipelineConstructor,
  })
}
