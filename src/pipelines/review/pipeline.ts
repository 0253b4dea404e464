import type { Graph } from '../../graph/index.js'
import type { Pipeline } from '../base.js'
import { buildGraph } from '../build-graph.js'
import { initialState } from '../initial-state.js'
import { type ImplementationState, implementationState } from '../state.js'

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

/** Reviewer → Evaluator → a person selects → Developer, repeatedly. */
function createReviewGraph(): Graph {
  return buildGraph({
    name: 'review',
    attributes: {
      label: 'Review',
      pipeline_type: 'review',
      commits: 'none',
      worktree: 'none',
      max_node_visits: '100000',
      max_steps: '100000',
    },
    nodes: {
      start: { label: 'Start', shape: 'Mdiamond' },
      collect: { fn: 'collect', label: 'Collect the changes', shape: 'parallelogram' },
      reviewer: { fn: 'reviewer', label: 'Reviewer', shape: 'box', attributes: { max_visits: '10000' } },
      evaluator: { fn: 'evaluator', label: 'Evaluator', shape: 'box' },
      items: { fn: 'items', label: 'Which items?', shape: 'hexagon' },
      developer: { fn: 'developer', label: 'Developer', shape: 'box' },
      checks: { fn: 'checks', label: 'Checks', shape: 'parallelogram' },
      finish: { fn: 'finish', label: 'Finish', shape: 'parallelogram' },
      exit: { label: 'Exit', shape: 'Msquare' },
    },
    edges: [
      ['start', 'collect'],
      ['collect', 'reviewer'],
      ['collect', 'finish'],
      ['reviewer', 'evaluator'],
      ['reviewer', 'finish'],
      ['evaluator', 'items'],
      ['evaluator', 'finish'],
      ['items', 'developer'],
      ['items', 'reviewer'],
      ['items', 'finish'],
      ['developer', 'checks'],
      ['checks', 'reviewer'],
      ['checks', 'developer'],
      ['checks', 'finish'],
      ['finish', 'exit'],
    ],
  })
}
