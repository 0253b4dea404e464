import type { Pipeline } from '../base.js'
import { initialState } from '../initial-state.js'
import { type ImplementationState, implementationState } from '../state.js'
import { createImplementationGraph } from './graph.js'

export function implementationPipeline(): Pipeline<ImplementationState> {
  return {
    metadata: Object.freeze({
      name: 'implementation',
      displayName: 'Implementation',
      description:
        'From an issue to a branch: the Architect plans, a person approves, Developer and Reviewer work task by task.',
    }),
    createGraph: () => createImplementationGraph(),
    getInitialState: initialState,
    getStateSchema: () => implementationState,
  }
}
