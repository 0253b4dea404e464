/** What a value must be. */
export type AttributeType =
  | { is: 'text' }
  | { is: 'integer'; min?: number; max?: number }
  | { is: 'number'; min?: number; max?: number }
  | { is: 'boolean' }
  | { is: 'duration' }
  | { is: 'one-of'; of: readonly string[] }
  | { is: 'names' }
  | { is: 'node' }
  | { is: 'condition' }
  | { is: 'fidelity' }

export interface AttributeSpec {
  type: AttributeType
  aliases?: readonly string[]
  /** For the reference; none where there is no default. */
  default?: string
  says: string
}

const text: AttributeType = { is: 'text' }
const boolean: AttributeType = { is: 'boolean' }
const duration: AttributeType = { is: 'duration' }
const names: AttributeType = { is: 'names' }
const node: AttributeType = { is: 'node' }
const count = (min = 0): AttributeType => ({ is: 'integer', min })

export const GRAPH_ATTRIBUTES: Readonly<Record<string, AttributeSpec>> = {
  goal: { type: text, default: '', says: 'What the run is for; `$goal` in prompts.' },
  label: { type: text, default: '', says: 'Name for people.' },
  model_stylesheet: { type: text, default: '', says: 'Rules that give nodes models and limits.' },
  default_max_retries: {
    type: count(),
    aliases: ['default_max_retry'],
    default: '0',
    says: 'Further attempts of a node that has no `max_retries`.',
  },
  retry_target: { type: node, says: 'Where an unmet goal sends the run.' },
  fallback_retry_target: { type: node, says: 'The same, when the first does not exist.' },
  default_fidelity: {
    type: { is: 'fidelity' },
    aliases: ['context_fidelity_default'],
    default: 'compact',
    says: 'What an agent is told of the run so far.',
  },
  default_thread: {
    type: text,
    aliases: ['context_thread_default'],
    says: 'Thread of `full` nodes that name none.',
  },
  required_nodes: { type: names, says: 'Nodes that must have completed before the run may end.' },
  goal_condition: { type: { is: 'condition' }, says: 'What must hold before the run may end.' },
  inputs: { type: names, says: 'Names that `--input` must give; `$name` in prompts.' },
  max_node_visits: { type: count(), default: '50', says: 'Visits of one node; 0 is no limit.' },
  max_steps: { type: count(1), default: '1000', says: 'Nodes that a run may go through.' },
  stall_timeout: {
    type: duration,
    default: '60m',
    says: 'A run in which nothing happens for so long fails; 0 is off.',
  },
  failure_repeat_limit: { type: count(1), default: '3', says: 'The same failure so often ends the run.' },
  'stack.child_dotfile': { type: text, says: 'Graph of the child run of manager loops.' },
  'stack.child_workdir': { type: text, says: 'Directory of the child run.' },
  'tool_hooks.pre': { type: text, says: 'Command before each tool call of an agent; a failure skips the call.' },
  'tool_hooks.post': { type: text, says: 'Command after each tool call of an agent.' },
  worktree: { type: { is: 'one-of', of: ['none', 'run'] }, default: 'run', says: 'Whether a run gets a worktree.' },
  commits: {
    type: { is: 'one-of', of: ['node', 'none'] },
    default: 'node',
    says: 'Who commits: each node, or the graph itself.',
  },
  max_cost: { type: { is: 'number', min: 0 }, says: 'Budget in USD.' },
  max_tokens: { type: count(1), says: 'Budget in tokens.' },
  max_time: { type: duration, says: 'Budget in time.' },
  pipeline_type: { type: text, says: 'Binds functions, state and routing of a pipeline.' },
}

export const NODE_ATTRIBUTES: Readonly<Record<string, AttributeSpec>> = {
  label: { type: text, says: 'Name for people; the id where there is none.' },
  shape: { type: text, default: 'box', says: 'Which handler runs it.' },
  type: { type: text, aliases: ['node_type'], says: 'Handler by name; comes before the shape.' },
  class: { type: names, says: 'Classes for the stylesheet.' },
  prompt: { type: text, aliases: ['llm_prompt'], says: 'What the agent is asked; `@file` reads it from a file.' },
  llm_model: { type: text, aliases: ['model'], says: 'Model.' },
  llm_provider: { type: text, aliases: ['provider'], says: 'Provider of the model.' },
  reasoning_effort: { type: { is: 'one-of', of: ['low', 'medium', 'high'] }, says: 'How long the model thinks.' },
  temperature: { type: { is: 'number', min: 0, max: 2 }, says: 'Randomness of the model.' },
  max_tokens: { type: count(1), says: 'Longest answer of the model.' },
  agent: { type: text, aliases: ['agent_tool'], says: 'Agent that does it; else the run’s.' },
  permissions: { type: { is: 'one-of', of: ['read', 'ask', 'edits', 'all'] }, says: 'What the agent may do unasked.' },
  live: {
    type: boolean,
    default: 'false',
    says: 'The agent works in a terminal of the daemon that people can attach to.',
  },
  max_turns: { type: count(1), aliases: ['max_agent_turns'], says: 'Turns of the agent.' },
  allowed_tools: { type: names, says: 'Tools the agent may use.' },
  must_write: { type: names, says: 'Files that must have changed when the node ends.' },
  max_retries: { type: count(), says: 'Further attempts.' },
  retry_policy: {
    type: { is: 'one-of', of: ['none', 'standard', 'linear', 'patient', 'aggressive'] },
    says: 'How attempts are counted and spaced.',
  },
  allow_partial: { type: boolean, default: 'false', says: 'Used-up attempts count as partial success.' },
  auto_status: { type: boolean, default: 'false', says: 'A step that ends well without a report is a success.' },
  goal_gate: {
    type: { is: 'one-of', of: ['true', 'false', 'visited'] },
    default: 'false',
    says: 'Must have succeeded before the run may end.',
  },
  retry_target: { type: node, says: 'Where a failure sends the run.' },
  fallback_retry_target: { type: node, says: 'The same, when the first does not exist.' },
  fidelity: { type: { is: 'fidelity' }, says: 'What the agent is told of the run so far.' },
  thread_id: { type: text, says: 'Nodes of one thread share an agent’s session.' },
  timeout: { type: duration, says: 'Longest time of one attempt.' },
  max_visits: { type: count(), says: 'Visits; 0 is no limit.' },
  fn: { type: text, says: 'Function of a `code` node.' },
  'human.kind': {
    type: { is: 'one-of', of: ['gate', 'plan', 'review'] },
    default: 'gate',
    says: 'Kind of the approval.',
  },
  'human.default_choice': { type: text, says: 'Edge that is taken when nobody answers in time.' },
  'human.timeout': { type: duration, says: 'How long a gate waits.' },
  'human.type': {
    type: { is: 'one-of', of: ['choice', 'yes_no', 'confirm', 'freeform', 'multi'] },
    default: 'choice',
    says: 'Kind of question.',
  },
  join_policy: {
    type: { is: 'one-of', of: ['wait_all', 'first_success', 'k_of_n', 'quorum'] },
    default: 'wait_all',
    says: 'When branches have done enough.',
  },
  k: { type: count(1), says: 'How many branches must succeed.' },
  max_parallel: { type: { is: 'integer', min: 1, max: 64 }, default: '4', says: 'Branches at once.' },
  error_policy: {
    type: { is: 'one-of', of: ['continue', 'fail_fast', 'ignore'] },
    default: 'continue',
    says: 'What a failed branch does to the others.',
  },
  branch_isolation: { type: { is: 'one-of', of: ['worktree', 'none'] }, says: 'Whether branches get worktrees.' },
  tool_command: { type: text, aliases: ['script'], says: 'Shell text of a tool node.' },
  tool_env: { type: text, says: 'Variables of a tool node.' },
  rerun: {
    type: { is: 'one-of', of: ['always', 'ask', 'never'] },
    default: 'always',
    says: 'Whether a command that was cut off runs again.',
  },
  duration: { type: duration, says: 'How long a `wait` node waits.' },
  'manager.poll_interval': { type: duration, default: '45s', says: 'How often a manager looks.' },
  'manager.max_cycles': { type: count(1), default: '1000', says: 'How often at most.' },
  'manager.stop_condition': { type: { is: 'condition' }, says: 'When the manager ends its child.' },
  'manager.actions': { type: names, default: 'observe,wait', says: 'What a manager does each time.' },
  'manager.steer_cooldown': { type: duration, default: '5m', says: 'Time between two messages to the child.' },
  'stack.child_autostart': { type: boolean, default: 'true', says: 'Whether the child is started.' },
  'stack.child_dotfile': { type: text, says: 'Graph of the child run.' },
  'stack.child_dot_source': { type: text, says: 'The same as text.' },
  pipeline: { type: text, aliases: ['sub_pipeline', 'graph_ref'], says: 'Pipeline or graph that runs as a child.' },
}

export const EDGE_ATTRIBUTES: Readonly<Record<string, AttributeSpec>> = {
  label: { type: text, default: '', says: 'What it stands for: an option of a gate, an outcome.' },
  condition: { type: { is: 'condition' }, default: '', says: 'When it may be taken.' },
  weight: { type: { is: 'integer' }, default: '0', says: 'Higher goes first.' },
  fidelity: { type: { is: 'fidelity' }, says: 'What the next agent is told of the run so far.' },
  thread_id: { type: text, says: 'Thread of the next node.' },
  loop_restart: { type: boolean, default: 'false', says: 'Ends this run and starts a new one at the target.' },
  freeform: { type: boolean, default: 'false', says: 'Takes typed text at a gate.' },
}

/** Attributes of Graphviz that only change how a graph looks: kept and otherwise ignored. */
export const LOOK_ATTRIBUTES: ReadonlySet<string> = new Set(
  `rankdir rank ranksep nodesep style color fillcolor bgcolor pencolor fontname fontsize fontcolor penwidth margin pad splines
   compound concentrate constraint dir arrowhead arrowtail arrowsize headlabel taillabel headport tailport lhead ltail minlen
   width height fixedsize peripheries rotate size ratio dpi tooltip URL href target xlabel labelloc labeljust labelfontsize
   labelfontcolor labelfontname labeldistance labelangle ordering newrank clusterrank layout overlap sep group sides skew
   orientation regular image gradientangle comment id`.split(/\s+/),
)

export const FIDELITIES = ['full', 'truncate', 'compact', 'summary:low', 'summary:medium', 'summary:high'] as const
export type Fidelity = (typeof FIDELITIES)[number]
