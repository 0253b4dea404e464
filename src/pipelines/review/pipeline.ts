import type { Pipeline } from '../base.js'
import { initialState } from '../initial-state.js'
import { type ImplementationState, implementationState } from '../state.js'
import { createReviewGraph } from './graph.js'

export function reviewPipeline(): Pipeline<ImplementationState> {
  return {
    metadata: Object.freeze({
      name: 'review',
      displayName: 'Review',
      description: 'Reviewer and Evaluator judge changes, a person selects the items, the Developer fixes them.',
    }),
    createGraph: () => createReviewGraph(),
    getInitialState: initialState,
    getStateSchema: () => implementationState,
  }
}
