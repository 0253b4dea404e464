import type { ZodType } from 'zod'
import type { Graph } from '../graph/index.js'
import type { EventStore } from '../store/index.js'
import type { PipelineArgs } from './args.js'
import type { BasePipelineState, HistoryEntry } from './state.js'

/* What a pipeline is. Types only: what does something lies beside this file. */

export type { BasePipelineState, HistoryEntry }

/** What people are shown of a pipeline. Frozen. */
export type PipelineMetadata = Readonly<{ name: string; displayName: string; description: string }>

/**
 * A named workflow with a typed state, shipped in code. It builds the same kind of graph as a DOT file, and runs on the same engine. It holds
 * nothing between calls: every run that wants one gets a fresh one from the registry.
 */
export interface Pipeline<State extends BasePipelineState = BasePipelineState> {
  readonly metadata: PipelineMetadata
  /** Gates park in the store; where none is given, whoever drives the graph answers them. */
  createGraph(store?: EventStore): Graph
  /** Pure: time and ids are in the arguments. */
  getInitialState(args: PipelineArgs): State
  getStateSchema(): ZodType<State>
}

export type PipelineConstructor = () => Pipeline<never>
