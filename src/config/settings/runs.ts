import { boolean, duration, integer, number, oneOf, string, strings } from '../setting.js'

/** From wide to narrow. */
const PERMISSIONS = ['all', 'edits', 'ask', 'read'] as const
/** Unset, a worker asks if its agent can: a project may choose that or something narrower. */
const OPEN_PERMISSIONS = { project: 'later', noneCountsAs: 'ask' } as const

/**
 * Oneshot, graphs, pipelines and what they have in common. `*` stands for a name that the person
 * chooses.
 */
export const runSettings = {
  runs: {
    max_concurrent: integer(5, 'Runs that may work at the same time; a run that waits for a person does not count.', {
      min: 1,
      max: 1000,
      project: 'lower',
    }),
    placement: oneOf(
      ['same', 'spread'],
      'same',
      'Where the child runs of a run on a worker go: `same` is its own worker while that has room, `spread` the least loaded one.',
    ),
    continue_answered: boolean(
      true,
      'The daemon continues a run that was started in a terminal and waits for a person, once it is answered and its terminal has ended. Without it such a run waits for `signalbox resume`.',
    ),
    day_usd: number(null, 'Budget of all runs and sessions in a day, in USD; none means no limit.', {
      project: 'lower',
    }),
  },

  oneshot: {
    agent: string(null, 'Agent of worker and auditor; none is the first agent that is installed and signed in.', {
      project: 'yes',
    }),
    worker: string(null, 'Agent of the worker.', { project: 'yes' }),
    auditor: string(null, 'Agent of the auditor.', { project: 'yes' }),
    model: string(null, 'Model of worker and auditor.', { project: 'yes' }),
    worker_model: string(null, 'Model of the worker.', { project: 'yes' }),
    auditor_model: string(null, 'Model of the auditor.', { project: 'yes' }),
    endpoint: string(null, 'Base URL for the agent "direct".'),
    worker_endpoint: string(null, 'Base URL of the worker for the agent "direct".'),
    auditor_endpoint: string(null, 'Base URL of the auditor for the agent "direct".'),
    api_key_env: string(null, 'Name of the environment variable with the API key for the agent "direct".'),
    worker_api_key_env: string(null, 'Name of the environment variable with the worker’s API key.'),
    auditor_api_key_env: string(null, 'Name of the environment variable with the auditor’s API key.'),
    max_iterations: integer(5, 'How often the worker works and the auditor checks, at most.', {
      min: 1,
      max: 1000,
      project: 'lower',
    }),
    inactivity_threshold: duration(300, 'End a step if its agent is silent for this long; 0: no limit.', {
      isZeroUnlimited: true,
      project: 'lower',
    }),
    tool_inactivity_threshold: duration(
      1800,
      'End a step if its agent is silent for this long while a tool runs; 0: no limit.',
      { isZeroUnlimited: true, project: 'lower' },
    ),
    exit_grace: duration(10, 'How long an agent’s process may keep running after its final record.', {
      min: 1,
      max: 3600,
    }),
    timeout: duration(null, 'Longest time of one step; none means no limit.', { min: 1, project: 'lower' }),
    permissions: oneOf(
      PERMISSIONS,
      null,
      'What the worker may do without asking; none is "ask", or "edits" if the agent cannot ask.',
      OPEN_PERMISSIONS,
    ),
    auditor_permissions: oneOf(PERMISSIONS, 'read', 'What the auditor may do without asking.', { project: 'later' }),
    check: strings([], 'Commands that run after each worker; the auditor receives their output.', { project: 'yes' }),
    worktree: boolean(false, 'Work in a separate git worktree.', { project: 'on' }),
    max_cost: number(null, 'Budget of a oneshot in USD; none means no limit.', { project: 'lower' }),
    max_tokens: integer(null, 'Budget of a oneshot in tokens; none means no limit.', { min: 1, project: 'lower' }),
    max_time: duration(null, 'Longest time of a oneshot; none means no limit.', { min: 1, project: 'lower' }),
    worker_header: string(null, 'Text before the worker’s task.', { project: 'yes' }),
    reworker_header: string(null, 'Text before the feedback of a further iteration.', { project: 'yes' }),
    auditor_header: string(null, 'Text before the auditor’s task.', { project: 'yes' }),
    live: boolean(false, 'Run the worker as a session in a terminal.', { project: 'yes' }),
  },

  graphs: {
    max_bytes: integer(1024 * 1024, 'Largest DOT file, in bytes.', {
      min: 1024,
      max: 256 * 1024 * 1024,
      project: 'lower',
    }),
    max_nodes: integer(2_000, 'Maximum number of nodes of a graph.', { min: 2, max: 1_000_000, project: 'lower' }),
    max_edges: integer(10_000, 'Maximum number of edges of a graph.', { min: 1, max: 5_000_000, project: 'lower' }),
    max_label: integer(4_096, 'Longest label of a graph, in characters.', {
      min: 1,
      max: 1024 * 1024,
      project: 'lower',
    }),
    draw_timeout: duration(10, 'How long Graphviz may take to draw a graph before a simple layout is used instead.', {
      min: 1,
      max: 3600,
    }),
  },

  pipelines: {
    profile: string(null, 'Profile that pipelines use unless another one is named.', { project: 'yes' }),
  },

  profiles: {
    '*': {
      tracker: oneOf(
        ['github', 'gitlab', 'jira', 'linear', 'file', 'noop'],
        null,
        'Where issues come from; none derives it from the argument of the command.',
        { project: 'yes' },
      ),
      agents: {
        '*': {
          agent: string(
            null,
            'Agent of this role: architect, developer, reviewer, evaluator, or task_reviewer (reviews all tasks but the last one; the reviewer by default).',
            { project: 'yes' },
          ),
          model: string(null, 'Model of this role.', { project: 'yes' }),
          permissions: oneOf(PERMISSIONS, null, 'What this role may do without asking.', OPEN_PERMISSIONS),
          effort: string(null, 'Reasoning effort of this role.', { project: 'yes' }),
        },
      },
      plan_path_pattern: string(null, 'Path of the plan file.', { project: 'yes' }),
      commit_plan: boolean(true, 'Commit the plan.', { project: 'yes' }),
      commit_prefix: string('feat', 'Type at the start of commit messages.', { project: 'yes' }),
      max_plan_revisions: integer(
        3,
        'How often an invalid plan goes back to the Architect before a person must decide.',
        { min: 1, max: 100, project: 'lower' },
      ),
      max_task_reviews: integer(5, 'How often one task is reviewed.', { min: 1, max: 100, project: 'lower' }),
      max_review_passes: integer(3, 'Passes of one review.', { min: 1, max: 100, project: 'lower' }),
      on_unapproved: oneOf(['continue', 'ask', 'stop'], 'ask', 'What to do with a task that no review has approved.', {
        project: 'later',
      }),
      review_types: strings(['general'], 'Kinds of review.', { project: 'yes' }),
      checks: strings([], 'Commands that run after the developer; a task with a failing command is not approved.', {
        project: 'yes',
      }),
      retry: {
        max_retries: integer(1, 'How often a failed step is retried.', { max: 100, project: 'lower' }),
        retry_policy: string('standard', 'How long the run waits before a failed step is retried.', { project: 'yes' }),
      },
      worktree: {
        copy: strings([], 'Ignored files that are copied into a new worktree.', { project: 'yes' }),
        setup: string(null, 'Command that prepares a new worktree.', { project: 'yes' }),
      },
      pull_request: {
        open: boolean(false, 'Open a pull request when a run of `implement` ends.', { project: 'off' }),
        follow: oneOf(
          ['merged', 'green', 'no'],
          'no',
          'How long the run follows the pull request: until it is merged, until nothing in it is open, or not at all.',
          { project: 'later' },
        ),
        forge: oneOf(
          ['github', 'gitlab'],
          null,
          'Where the pull request is opened; none derives it from the address of the remote.',
          { project: 'yes' },
        ),
        remote: string('origin', 'Git remote that branches are pushed to.'),
        base: string(null, 'Target branch of the pull request; none is the default branch.', { project: 'yes' }),
        draft: boolean(false, 'Open the pull request as a draft.', { project: 'on' }),
        labels: strings([], 'Labels of the pull request.', { project: 'yes' }),
        reviewers: strings([], 'Who is asked to review the pull request.', { project: 'yes' }),
        people: oneOf(
          ['fix', 'ask', 'ignore'],
          'ask',
          'Comments of people: fix what must be fixed, ask you which, or leave them alone.',
          { project: 'later' },
        ),
        bots: oneOf(
          ['fix', 'ask', 'ignore'],
          'fix',
          'Comments of bots: fix what must be fixed, ask you which, or leave them alone.',
          { project: 'later' },
        ),
        answer_bots: boolean(false, 'Also answer comments of bots; otherwise their threads are only resolved.'),
        fix_nits: boolean(false, 'Also fix remarks that are a matter of taste.', { project: 'yes' }),
        max_rounds: integer(5, 'Rounds of triage, fixes and answers before you are asked.', {
          min: 1,
          max: 100,
          project: 'lower',
        }),
        poll: duration(120, 'How often the pull request is checked.', { min: 10, max: 86_400 }),
        allow: strings([], 'Actions on the pull request that need no decision: push, open, comment, resolve.', {
          values: ['push', 'open', 'comment', 'resolve'],
        }),
        merge: oneOf(['ask', 'never'], 'never', 'Ask you to merge a pull request that passes checks and reviews.', {
          project: 'later',
        }),
        merge_method: oneOf(['merge', 'squash', 'rebase'], 'squash', 'How to merge pull requests.', { project: 'yes' }),
      },
      cleanup_days: duration(14, 'Suggest removing a clean, unmerged worktree after this long.', {
        min: 1,
        max: 3650,
      }),
      budget: {
        run_usd: number(null, 'Budget of a run, in USD.', { project: 'lower' }),
        task_usd: number(null, 'Budget of a task, in USD.', { project: 'lower' }),
        day_usd: number(null, 'Budget of a day, in USD.', { project: 'lower' }),
        tokens: integer(null, 'Budget of a run, in tokens.', { min: 1, project: 'lower' }),
      },
    },
  },
}
