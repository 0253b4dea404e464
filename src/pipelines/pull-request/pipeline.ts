import type { Graph } from '../../graph/index.js'
import type { Pipeline } from '../base.js'
import { buildGraph } from '../build-graph.js'
import { initialState } from '../initial-state.js'
import { type ImplementationState, implementationState } from '../state.js'
import { PULL_EDGES, PULL_NODES } from './pull-graph.js'

export function pullRequestPipeline(): Pipeline<ImplementationState> {
  return {
    metadata: Object.freeze({
      name: 'pull_request',
      displayName: 'Pull request',
      description:
        'Opens a pull request or follows one: failed checks and comments are triaged, fixed and answered in rounds.',
    }),
    createGraph: () => createPullRequestGraph(),
    getInitialState: initialState,
    getStateSchema: () => implementationState,
  }
}

/** Look, triage, fix, answer, wait, until it is merged or closed. */
function createPullRequestGraph(): Graph {
  return buildGraph({
    name: 'pull_request',
    attributes: {
      label: 'Pull request',
      pipeline_type: 'pull_request',
      commits: 'none',
      worktree: 'none',
      max_node_visits: '100000',
      max_steps: '1000000',
    },
    nodes: {
      start: { label: 'Start', shape: 'Mdiamond' },
      prepare: { fn: 'prepare', label: 'Prepare', shape: 'parallelogram' },
      ...PULL_NODES,
      developer: { fn: 'developer', label: 'Developer', shape: 'box' },
      finish: { fn: 'finish', label: 'Finish', shape: 'parallelogram' },
      exit: { label: 'Exit', shape: 'Msquare' },
    },
    edges: [['start', 'prepare'], ['prepare', 'publish'], ['prepare', 'observe'], ...PULL_EDGES, ['finish', 'exit']],
  })
}
