import type { GraphPlan } from '../build-graph.js'

/** A node that talks to a forge is repeated for about an hour while the forge asks to wait. */
const FORGE_RETRIES = { max_retries: '100', retry_policy: 'standard' }

/** The part of a graph that opens and follows a pull request. */
export const PULL_NODES: GraphPlan['nodes'] = {
  publish: { fn: 'publish', label: 'Open the pull request', shape: 'parallelogram', attributes: FORGE_RETRIES },
  observe: { fn: 'observe', label: 'Check the pull request', shape: 'parallelogram', attributes: FORGE_RETRIES },
  wait: { label: 'Wait', shape: 'insulator', attributes: { duration: '2m' } },
  triage: { fn: 'triage', label: 'Triage', shape: 'box' },
  items: { fn: 'items', label: 'Which items?', shape: 'hexagon' },
  checks: { fn: 'checks', label: 'Commit the fixes', shape: 'parallelogram' },
  answer: { fn: 'answer', label: 'Push and answer', shape: 'parallelogram', attributes: FORGE_RETRIES },
  merge: { fn: 'merge', label: 'Merge?', shape: 'hexagon', attributes: FORGE_RETRIES },
}

/**
 * Besides these edges, a graph leads to `publish` or `observe`, and has `developer` and `finish`.
 */
export const PULL_EDGES: GraphPlan['edges'] = [
  ['publish', 'observe'],
  ['publish', 'finish'],
  ['observe', 'wait'],
  ['observe', 'triage'],
  ['observe', 'merge'],
  ['observe', 'finish'],
  ['wait', 'observe'],
  ['triage', 'items'],
  ['triage', 'developer'],
  ['triage', 'answer'],
  ['items', 'developer'],
  ['items', 'observe'],
  ['items', 'answer'],
  ['developer', 'checks'],
  ['checks', 'answer'],
  ['checks', 'developer'],
  ['answer', 'wait'],
  ['merge', 'wait'],
  ['merge', 'observe'],
]
