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
  /** Shown in the reference; absent if there is no default. */
  default?: string
  description: string
}

const text: AttributeType = { is: 'text' }
const boolean: AttributeType = { is: 'boolean' }
const duration: AttributeType = { is: 'duration' }
const names: AttributeType = { is: 'names' }
const node: AttributeType = { is: 'node' }
const count = (min = 0): AttributeType => ({ is: 'integer', min })

export const GRAPH_ATTRIBUTES: Readonly<Record<string, AttributeSpec>> = {
  goal: { type: text, default: '', description: 'The purpose of the run; `$goal` in prompts.' },
  label: { type: text, default: '', description: 'Name for people.' },
  model_stylesheet: { type: text, default: '', description: 'Rules that assign models and limits to nodes.' },
  default_max_retries: {
    type: count(),
    aliases: ['default_max_retry'],
    default: '0',
    description: 'Retries of a node that has no `max_retries`.',
  },
  retry_target: { type: node, description: 'The node to go back to when a goal is unmet.' },
  fallback_retry_target: { type: node, description: 'The same, if the first does not exist.' },
  default_fidelity: {
    type: { is: 'fidelity' },
    aliases: ['context_fidelity_default'],
    default: 'compact',
    description: 'How much of the run so far an agent’s prompt includes.',
  },
  default_thread: {
    type: text,
    aliases: ['context_thread_default'],
    description: 'Thread of `full` nodes that name none.',
  },
  required_nodes: { type: names, description: 'Nodes that must have succeeded before the run may end.' },
  goal_condition: { type: { is: 'condition' }, description: 'Condition that must hold before the run may end.' },
  inputs: { type: names, description: 'Names that `--input` must provide; `$name` in prompts.' },
  max_node_visits: { type: count(), default: '50', description: 'Maximum visits of one node; 0 means no limit.' },
  max_steps: { type: count(1), default: '1000', description: 'Maximum number of nodes that a run visits.' },
  stall_timeout: {
    type: duration,
    default: '60m',
    description: 'The run fails if it makes no progress for this long; 0 disables it.',
  },
  failure_repeat_limit: {
    type: count(1),
    default: '3',
    description: 'The run ends when the same failure repeats this often.',
  },
  'stack.child_dotfile': {
    type: text,
    aliases: ['stack.child_workflow'],
    description: 'Graph of the child run of manager loops.',
  },
  'stack.child_workdir': { type: text, description: 'Directory of the child run.' },
  'tool_hooks.pre': {
    type: text,
    description: 'Command before each tool call of an agent that has hooks; if it fails, the call is skipped.',
  },
  'tool_hooks.post': { type: text, description: 'Command after each tool call of an agent that has hooks.' },
  worktree: {
    type: { is: 'one-of', of: ['none', 'run'] },
    default: 'run',
    description: 'Whether a run gets its own worktree.',
  },
  commits: {
    type: { is: 'one-of', of: ['node', 'none'] },
    default: 'node',
    description: 'Who commits: Signalbox after each node, or the graph itself.',
  },
  max_cost: { type: { is: 'number', min: 0 }, description: 'Limit in USD.' },
  max_tokens: { type: count(1), description: 'Limit in tokens.' },
  max_time: { type: duration, description: 'Limit in time.' },
  pipeline_type: { type: text, description: 'Selects the functions, state and routing of a pipeline.' },
}

export const NODE_ATTRIBUTES: Readonly<Record<string, AttributeSpec>> = {
  label: { type: text, description: 'Name for people; the id if absent.' },
  shape: { type: text, default: 'box', description: 'Determines the handler that runs the node.' },
  type: { type: text, aliases: ['node_type'], description: 'Handler by name; takes precedence over the shape.' },
  class: { type: names, description: 'Classes for the stylesheet.' },
  prompt: {
    type: text,
    aliases: ['llm_prompt'],
    description: 'The prompt for the agent; `@file` reads it from a file.',
  },
  llm_model: { type: text, aliases: ['model'], description: 'Model.' },
  llm_provider: { type: text, aliases: ['provider'], description: 'Provider of the model.' },
  reasoning_effort: {
    type: { is: 'one-of', of: ['low', 'medium', 'high'] },
    description: 'Reasoning effort of the model.',
  },
  temperature: {
    type: { is: 'number', min: 0, max: 2 },
    description: 'Sampling temperature, for agents that offer it.',
  },
  max_tokens: {
    type: count(1),
    description: 'Maximum length of the model’s answer in tokens, for agents that offer it.',
  },
  agent: { type: text, aliases: ['agent_tool'], description: 'Agent that runs the node; by default the run’s.' },
  permissions: {
    type: { is: 'one-of', of: ['read', 'ask', 'edits', 'all'] },
    description: 'What the agent may do without asking.',
  },
  live: {
    type: boolean,
    default: 'false',
    description: 'The agent works in a terminal of the daemon that people can attach to.',
  },
  sandbox: {
    type: { is: 'one-of', of: ['auto', 'bubblewrap', 'seatbelt'] },
    description: 'Runs the agent in a sandbox if the run has none; a node cannot turn off that of its run.',
  },
  max_turns: {
    type: count(1),
    aliases: ['max_agent_turns'],
    description: 'Maximum turns of the agent, where it offers that.',
  },
  allowed_tools: {
    type: names,
    description: 'The only tools the agent has, where it offers that; never more than its permissions.',
  },
  must_write: { type: names, description: 'Files that must have changed when the node ends.' },
  max_retries: { type: count(), description: 'How often a failed node is retried.' },
  retry_policy: {
    type: { is: 'one-of', of: ['none', 'standard', 'linear', 'patient', 'aggressive'] },
    description: 'How retries are counted and delayed.',
  },
  allow_partial: { type: boolean, default: 'false', description: 'Exhausted retries count as partial success.' },
  auto_status: {
    type: boolean,
    default: 'false',
    description: 'A step that ends normally without a report counts as success.',
  },
  goal_gate: {
    type: { is: 'one-of', of: ['true', 'false', 'visited'] },
    default: 'false',
    description: 'The node must have succeeded before the run may end.',
  },
  retry_target: { type: node, description: 'The node to go to after a failure.' },
  fallback_retry_target: { type: node, description: 'The same, if the first does not exist.' },
  fidelity: { type: { is: 'fidelity' }, description: 'How much of the run so far the agent’s prompt includes.' },
  thread_id: { type: text, description: 'Nodes of one thread share an agent’s session.' },
  timeout: { type: duration, description: 'Maximum duration of one attempt.' },
  max_visits: { type: count(), description: 'Maximum visits; 0 means no limit.' },
  fn: { type: text, description: 'Function of a `code` node.' },
  'human.kind': {
    type: { is: 'one-of', of: ['gate', 'plan', 'review'] },
    default: 'gate',
    description: 'Kind of the approval.',
  },
  'human.default_choice': { type: text, description: 'Edge to follow if the gate is not answered in time.' },
  'human.timeout': { type: duration, description: 'How long a gate waits.' },
  'human.type': {
    type: { is: 'one-of', of: ['choice', 'yes_no', 'confirm', 'freeform', 'multi'] },
    default: 'choice',
    description: 'Kind of question.',
  },
  join_policy: {
    type: { is: 'one-of', of: ['wait_all', 'first_success', 'k_of_n', 'quorum'] },
    default: 'wait_all',
    description: 'When enough branches are done.',
  },
  k: { type: count(1), description: 'How many branches must succeed.' },
  max_parallel: { type: { is: 'integer', min: 1, max: 64 }, default: '4', description: 'Maximum branches at once.' },
  error_policy: {
    type: { is: 'one-of', of: ['continue', 'fail_fast', 'ignore'] },
    default: 'continue',
    description: 'Effect of a failed branch on the others.',
  },
  branch_isolation: {
    type: { is: 'one-of', of: ['worktree', 'none'] },
    description: 'Whether branches get their own worktrees.',
  },
  tool_command: { type: text, aliases: ['script'], description: 'Shell command of a tool node.' },
  tool_env: { type: text, description: 'Environment variables of a tool node.' },
  rerun: {
    type: { is: 'one-of', of: ['always', 'ask', 'never'] },
    default: 'always',
    description: 'Whether an interrupted command runs again.',
  },
  duration: { type: duration, description: 'How long a `wait` node waits.' },
  'manager.poll_interval': { type: duration, default: '45s', description: 'How often a manager observes its child.' },
  'manager.max_cycles': { type: count(1), default: '1000', description: 'Maximum number of observations.' },
  'manager.stop_condition': { type: { is: 'condition' }, description: 'When the manager stops its child.' },
  'manager.actions': {
    type: names,
    default: 'observe,wait',
    description: 'What a manager does after each observation.',
  },
  'manager.steer_cooldown': {
    type: duration,
    default: '5m',
    description: 'Minimum time between two messages to the child.',
  },
  'stack.child_autostart': { type: boolean, default: 'true', description: 'Whether the child is started.' },
  'stack.child_dotfile': { type: text, aliases: ['stack.child_workflow'], description: 'Graph of the child run.' },
  'stack.child_dot_source': { type: text, description: 'The same, as text.' },
  pipeline: {
    type: text,
    aliases: ['sub_pipeline', 'graph_ref'],
    description: 'Pipeline or graph that runs as a child.',
  },
}

export const EDGE_ATTRIBUTES: Readonly<Record<string, AttributeSpec>> = {
  label: { type: text, default: '', description: 'Its meaning: an option of a gate, or an outcome.' },
  condition: { type: { is: 'condition' }, default: '', description: 'When the edge may be followed.' },
  weight: { type: { is: 'integer' }, default: '0', description: 'Higher weights come first.' },
  fidelity: { type: { is: 'fidelity' }, description: 'How much of the run so far the next agent’s prompt includes.' },
  thread_id: { type: text, description: 'Thread of the next node.' },
  loop_restart: { type: boolean, default: 'false', description: 'Ends this run and starts a new one at the target.' },
  freeform: { type: boolean, default: 'false', description: 'Accepts typed text at a gate.' },
}

/** Attributes of Graphviz that only change how a graph looks: kept and otherwise ignored. */
export const DRAWING_ATTRIBUTES: ReadonlySet<string> = new Set(
  `rankdir rank ranksep nodesep style color fillcolor bgcolor pencolor fontname fontsize fontcolor penwidth margin pad splines
   compound concentrate constraint dir arrowhead arrowtail arrowsize headlabel taillabel headport tailport lhead ltail minlen
   width height fixedsize peripheries rotate size ratio dpi tooltip URL href target xlabel labelloc labeljust labelfontsize
   labelfontcolor labelfontname labeldistance labelangle ordering newrank clusterrank layout overlap sep group sides skew
   orientation regular image gradientangle comment id`.split(/\s+/),
)

export const FIDELITIES = ['full', 'truncate', 'compact', 'summary:low', 'summary:medium', 'summary:high'] as const
export type Fidelity = (typeof FIDELITIES)[number]
