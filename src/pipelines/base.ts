import type { ZodType } from 'zod'
import type { Graph } from '../graph/index.js'
import type { EventStore } from '../store/index.js'
import type { PipelineArgs } from './args.js'
import type { BasePipelineState, HistoryEntry } from './state.js'

/* The interface of a pipeline. Types only. */

export type { BasePipelineState, HistoryEntry }

/** How a pipeline is presented to people. Frozen. */
export type PipelineMetadata = Readonly<{ name: string; displayName: string; description: string }>

/**
 * A named workflow with a typed state, shipped in code. It builds the same kind of graph as a DOT
 * file, and runs on the same engine. It keeps no state between calls: the registry creates a new
 * instance for each use.
 */
export interface Pipeline<State extends BasePipelineState = BasePipelineState> {
  readonly metadata: PipelineMetadata
  /** Gates wait in the store; without one, the caller that drives the graph answers them. */
  createGraph(store?: EventStore): Graph
  /** Pure: time and ids are in the arguments. */
  getInitialState(args: PipelineArgs): State
  getStateSchema(): ZodType<State>
}

export type PipelineConstructor = () => Pipeline<never>
