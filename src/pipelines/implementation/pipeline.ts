import type { Graph } from '../../graph/index.js'
import type { Pipeline } from '../base.js'
import { buildGraph } from '../build-graph.js'
import { initialState } from '../initial-state.js'
import { PULL_EDGES, PULL_NODES } from '../pull-request/pull-graph.js'
import { type ImplementationState, implementationState } from '../state.js'

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

/** Architect → plan → person → Developer ↔ Reviewer, task by task, each with a commit. */
function createImplementationGraph(): Graph {
  return buildGraph({
    name: 'implementation',
    attributes: {
      label: 'Implementation',
      pipeline_type: 'implementation',
      inputs: 'issue',
      commits: 'none',
      max_node_visits: '100000',
      max_steps: '100000',
    },
    nodes: {
      start: { label: 'Start', shape: 'Mdiamond' },
      prepare: { fn: 'prepare', label: 'Prepare', shape: 'parallelogram' },
      architect: { fn: 'architect', label: 'Architect', shape: 'box', attributes: { max_visits: '10000' } },
      plan_validator: { fn: 'plan_validator', label: 'Check the plan', shape: 'parallelogram' },
      human_approval: { fn: 'human_approval', label: 'Approve the plan?', shape: 'hexagon' },
      developer: { fn: 'developer', label: 'Developer', shape: 'box', attributes: { max_visits: '10000' } },
      reviewer: { fn: 'reviewer', label: 'Reviewer', shape: 'box' },
      commit_task: { fn: 'commit_task', label: 'Commit the task', shape: 'parallelogram' },
      next_task: { fn: 'next_task', label: 'Next task', shape: 'parallelogram' },
      objections: { fn: 'objections', label: 'Not approved: continue?', shape: 'hexagon' },
      ...PULL_NODES,
      finish: { fn: 'finish', label: 'Finish', shape: 'parallelogram' },
      exit: { label: 'Exit', shape: 'Msquare' },
    },
    edges: [
      ['start', 'prepare'],
      ['prepare', 'architect'],
      ['prepare', 'plan_validator'],
      ['architect', 'plan_validator'],
      ['plan_validator', 'human_approval'],
      ['plan_validator', 'architect'],
      ['human_approval', 'developer'],
      ['human_approval', 'architect'],
      ['human_approval', 'plan_validator'],
      ['developer', 'reviewer'],
      ['reviewer', 'commit_task'],
      ['reviewer', 'developer'],
      ['reviewer', 'objections'],
      ['objections', 'developer'],
      ['objections', 'commit_task'],
      ['commit_task', 'next_task'],
      ['commit_task', 'developer'],
      ['commit_task', 'finish'],
      ['commit_task', 'publish'],
      ...PULL_EDGES,
      ['next_task', 'developer'],
      ['finish', 'exit'],
    ],
  })
}
