import type { Graph } from '../../graph/index.js'
import { buildGraph } from '../build-graph.js'

/** Reviewer → Evaluator → a person selects → Developer, repeatedly. */
export function createReviewGraph(): Graph {
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
