import { boolean, duration, integer, number, oneOf, string, strings, table } from './setting.js'

/** From wide to narrow. */
const PERMISSIONS = ['all', 'edits', 'ask', 'read'] as const
/** Left open, a worker asks where it can: a project may choose that, or less. */
const OPEN_PERMISSIONS = { project: 'later', noneCountsAs: 'ask' } as const

/** Agents, worker and auditor, runs and pipelines. `*` in a key stands for a name that the person chooses. */
export const workSettings = {
  'agents.*.command': string(null, 'Program to start; none is the adapter\u2019s name, looked up in PATH.'),
  'agents.*.args': strings([], 'Arguments before all others.'),
  'agents.*.env': table('Variables added to the agent\u2019s environment.', { isSecret: true }),
  'agents.*.model': string(null, 'Model; none is the agent\u2019s own choice.', { project: 'yes' }),
  'agents.*.permissions': oneOf(PERMISSIONS, null, 'What the agent may do unasked in runs.', OPEN_PERMISSIONS),
  'agents.*.max_parallel': integer(null, 'Steps of this agent at once on this host.', {
    min: 1,
    max: 1000,
    project: 'lower',
  }),
  'agents.*.hooks': boolean(true, 'Whether sessions of this agent get hooks that report to Signalbox.', {
    project: 'off',
  }),
  'agents.*.heuristics': oneOf(['inherit', 'off'], 'inherit', 'Content heuristics for this agent.', {
    project: 'later',
  }),

  'prices.*.input': number(null, 'USD for a million tokens of input to this model, where its agent reports no cost.', {
    min: 0,
  }),
  'prices.*.output': number(null, 'The same for its output.', { min: 0 }),
  'prices.*.cache_read': number(null, 'The same for input from its cache; none is the price of input.', { min: 0 }),

  'oneshot.agent': string(null, 'Agent of worker and auditor; none is the first that is signed in.', {
    project: 'yes',
  }),
  'oneshot.worker': string(null, 'Agent of the worker.', { project: 'yes' }),
  'oneshot.auditor': string(null, 'Agent of the auditor.', { project: 'yes' }),
  'oneshot.model': string(null, 'Model of both.', { project: 'yes' }),
  'oneshot.worker_model': string(null, 'Model of the worker.', { project: 'yes' }),
  'oneshot.auditor_model': string(null, 'Model of the auditor.', { project: 'yes' }),
  'oneshot.endpoint': string(null, 'Base URL for the agent "direct".'),
  'oneshot.worker_endpoint': string(null, 'Base URL of the worker for the agent "direct".'),
  'oneshot.auditor_endpoint': string(null, 'Base URL of the auditor for the agent "direct".'),
  'oneshot.api_key_env': string(null, 'Name of the variable that holds the key for it.'),
  'oneshot.worker_api_key_env': string(null, 'Name of the variable that holds the worker\u2019s key.'),
  'oneshot.auditor_api_key_env': string(null, 'Name of the variable that holds the auditor\u2019s key.'),
  'oneshot.max_iterations': integer(5, 'Rounds of worker and auditor.', { min: 1, max: 1000, project: 'lower' }),
  'oneshot.inactivity_threshold': duration(300, 'Silence of an agent that ends the step; 0 is off.', {
    isZeroUnlimited: true,
    project: 'lower',
  }),
  'oneshot.tool_inactivity_threshold': duration(1800, 'The same while a tool runs; 0 is off.', {
    isZeroUnlimited: true,
    project: 'lower',
  }),
  'oneshot.exit_grace': duration(10, 'How long a process may stay after its final record.', { min: 1, max: 3600 }),
  'oneshot.timeout': duration(null, 'Longest time of one step; none is no limit.', { min: 1, project: 'lower' }),
  'oneshot.permissions': oneOf(
    PERMISSIONS,
    null,
    'What the worker may do unasked; none is ask, or edits where the agent cannot ask.',
    OPEN_PERMISSIONS,
  ),
  'oneshot.auditor_permissions': oneOf(PERMISSIONS, 'read', 'What the auditor may do unasked.', { project: 'later' }),
  'oneshot.check': strings([], 'Commands run after each worker; their output goes to the auditor.', { project: 'yes' }),
  'oneshot.worktree': boolean(false, 'Work in a worktree of its own.', { project: 'on' }),
  'oneshot.max_cost': number(null, 'Budget in USD; none is no limit.', { project: 'lower' }),
  'oneshot.max_tokens': integer(null, 'Budget in tokens; none is no limit.', { min: 1, project: 'lower' }),
  'oneshot.max_time': duration(null, 'Budget in time; none is no limit.', { min: 1, project: 'lower' }),
  'oneshot.worker_header': string(null, 'Text before the worker\u2019s task.', { project: 'yes' }),
  'oneshot.reworker_header': string(null, 'Text before the feedback of a further round.', { project: 'yes' }),
  'oneshot.auditor_header': string(null, 'Text before the auditor\u2019s task.', { project: 'yes' }),
  'oneshot.live': boolean(false, 'Run the worker as a session in a terminal.', { project: 'yes' }),

  'runs.max_concurrent': integer(5, 'Runs that one host drives at once; a waiting run does not count.', {
    min: 1,
    max: 1000,
    project: 'lower',
  }),
  'runs.max_steps': integer(1000, 'Steps of one run.', { min: 1, max: 100_000, project: 'lower' }),
  'runs.max_branches': integer(64, 'Branches of one run at once.', { min: 1, max: 1000, project: 'lower' }),
  'runs.day_usd': number(null, 'Budget of all runs in a day, in USD; none is no limit.', { project: 'lower' }),

  'graphs.max_bytes': integer(1024 * 1024, 'Largest DOT file, in bytes.', {
    min: 1024,
    max: 256 * 1024 * 1024,
    project: 'lower',
  }),
  'graphs.max_nodes': integer(2_000, 'Nodes of one graph.', { min: 2, max: 1_000_000, project: 'lower' }),
  'graphs.max_edges': integer(10_000, 'Edges of one graph.', { min: 1, max: 5_000_000, project: 'lower' }),
  'graphs.max_label': integer(4_096, 'Characters of one label.', { min: 1, max: 1024 * 1024, project: 'lower' }),
  'graphs.draw_timeout': duration(10, 'How long drawing may take before a table is made instead.', {
    min: 1,
    max: 3600,
  }),

  'pipelines.profile': string(null, 'Profile that pipelines use unless told otherwise.', { project: 'yes' }),
  'profiles.*.tracker': oneOf(
    ['github', 'jira', 'file', 'noop'],
    null,
    'Where issues come from; none is told by the argument.',
    {
      project: 'yes',
    },
  ),
  'profiles.*.agents.*.agent': string(null, 'Agent of this role (architect, developer, reviewer, evaluator).', {
    project: 'yes',
  }),
  'profiles.*.agents.*.model': string(null, 'Model of this role.', { project: 'yes' }),
  'profiles.*.agents.*.permissions': oneOf(PERMISSIONS, null, 'What this role may do unasked.', OPEN_PERMISSIONS),
  'profiles.*.agents.*.effort': string(null, 'Reasoning effort of this role.', { project: 'yes' }),
  'profiles.*.plan_path_pattern': string(null, 'Path of the plan file.', { project: 'yes' }),
  'profiles.*.commit_plan': boolean(true, 'Commit the plan.', { project: 'yes' }),
  'profiles.*.commit_prefix': string('feat', 'Type at the beginning of commit messages.', { project: 'yes' }),
  'profiles.*.max_plan_revisions': integer(3, 'Plans before a person must decide.', {
    min: 1,
    max: 100,
    project: 'lower',
  }),
  'profiles.*.max_task_reviews': integer(5, 'Reviews of one task.', { min: 1, max: 100, project: 'lower' }),
  'profiles.*.max_review_passes': integer(3, 'Passes of a review.', { min: 1, max: 100, project: 'lower' }),
  'profiles.*.on_unapproved': oneOf(
    ['continue', 'ask', 'stop'],
    'ask',
    'What happens to a task that no review approved.',
    {
      project: 'later',
    },
  ),
  'profiles.*.review_types': strings(['general'], 'Kinds of review.', { project: 'yes' }),
  'profiles.*.checks': strings([], 'Commands after the developer; a failing one is not approved.', { project: 'yes' }),
  'profiles.*.retry.max_retries': integer(1, 'Further attempts of a failed step.', { max: 100, project: 'lower' }),
  'profiles.*.retry.retry_policy': string('standard', 'How the attempts are spaced.', { project: 'yes' }),
  'profiles.*.worktree.copy': strings([], 'Ignored files to bring into a worktree.', { project: 'yes' }),
  'profiles.*.worktree.setup': string(null, 'Command that prepares a worktree.', { project: 'yes' }),
  'profiles.*.cleanup_days': duration(14, 'Clean, unmerged worktrees are suggested for removal after this.', {
    min: 1,
    max: 3650,
  }),
  'profiles.*.budget.run_usd': number(null, 'Budget of a run in USD.', { project: 'lower' }),
  'profiles.*.budget.task_usd': number(null, 'Budget of a task in USD.', { project: 'lower' }),
  'profiles.*.budget.day_usd': number(null, 'Budget of a day in USD.', { project: 'lower' }),
  'profiles.*.budget.tokens': integer(null, 'Budget of a run in tokens.', { min: 1, project: 'lower' }),
}
