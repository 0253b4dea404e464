import { type CommandSpecs, JSON_OPTION, PLACEMENT_OPTIONS, SANDBOX_OPTIONS } from './command-spec.js'

/** Which agents play the roles. */
const ROLE_OPTIONS = [
  { flags: '--profile <name>', description: 'a profile of the settings (default: pipelines.profile)' },
  { flags: '--agent <agent>', description: 'agent of roles for which the profile names none' },
  { flags: '--model <name>', description: 'model of roles for which the profile names none' },
  { flags: '--endpoint <url>', description: 'URL of the model for the agent direct' },
  { flags: '--api-key-env <name>', description: 'environment variable with the key for --endpoint' },
] as const

const LIMIT_OPTIONS = [
  { flags: '--max-cost <usd>', description: 'pause when this much is spent' },
  { flags: '--max-tokens <n>', description: 'pause when this many tokens are used' },
] as const

const START_OPTIONS = [
  {
    flags: '--label <key=value>',
    description: 'stored with the run; repeatable. Queued runs with a higher priority=<n> start first',
    repeatable: true,
  },
  ...SANDBOX_OPTIONS,
  { flags: '--trust <hash>', description: 'trust the project’s files with this hash' },
  { flags: '--detach', description: 'return at once: the daemon runs it in the background' },
  { flags: '--no-ask', description: 'ask nothing in this terminal; the run waits, and the exit code is 4' },
  JSON_OPTION,
] as const

const PULL_OPTIONS = [
  { flags: '--draft', description: 'open the pull request as a draft' },
  { flags: '--follow', description: 'answer checks and comments of the pull request until it is merged' },
  { flags: '--no-follow', description: 'only open it' },
  { flags: '--pr-label <name>', description: 'a label of the pull request; repeatable', repeatable: true },
  { flags: '--reviewer <login>', description: 'who is asked to review; repeatable', repeatable: true },
] as const

/** The pipelines that ship with the program. */
export const PIPELINE_COMMANDS = {
  brainstorm: {
    group: 'runs',
    summary: 'a conversation with an agent that ends in a design for implement --design',
    arguments: [
      { name: 'topic', description: 'the idea, in a few words; the agent asks if it is missing', optional: true },
    ],
    rest: '[-- args…]',
    options: [
      { flags: '--agent <agent>', description: 'the agent to talk to (default: the first one that is found)' },
      { flags: '--cwd <dir>', description: 'the project (default: here)' },
      { flags: '--acp', description: 'without a terminal, over the Agent Client Protocol' },
      { flags: '--attach', description: 'attach to it at once' },
      JSON_OPTION,
    ],
    details:
      'The agent reads the project, asks one question at a time and writes docs/plans/<day>-<topic>-design.md. It is a ' +
      'session like any other: answer it anywhere, stop and resume it. Words after -- are arguments of the agent.',
    examples: [
      ['signalbox brainstorm "search in the archive"', 'from an idea to a design'],
      ['signalbox brainstorm --agent claude --attach', 'in your terminal; the agent asks for the idea'],
    ],
  },
  implement: {
    group: 'runs',
    daily: true,
    summary: 'from an issue to a reviewed branch: plan, tasks, commits',
    arguments: [
      {
        name: 'issue',
        description: 'a file, gh:12, gl:12, jira:KEY-1, linear:KEY-1, or the address of an issue',
        optional: true,
        completes: 'file',
      },
    ],
    options: [
      { flags: '--title <text>', description: 'what to do, instead of an issue' },
      { flags: '--description <text>', description: 'with --title: details' },
      { flags: '--design <file>', description: 'a design that the plan must follow' },
      { flags: '--plan <file>', description: 'your own plan instead of the Architect’s; - reads standard input' },
      { flags: '--force', description: 'with --plan: accept a plan that is not valid' },
      ...ROLE_OPTIONS,
      { flags: '--branch <name>', description: 'the branch to work on (default: signalbox/<issue>)' },
      { flags: '--base <revision>', description: 'where the branch starts (default: the default branch)' },
      { flags: '--in-place', description: 'work in this directory instead of a worktree' },
      { flags: '--allow-dirty', description: 'with --in-place: leave changed files as they are' },
      { flags: '--queue', description: 'create the run, and start it later with resume' },
      { flags: '--plan-only', description: 'stop when the plan waits for approval' },
      { flags: '--auto-approve', description: 'approve a valid plan automatically; nothing else' },
      ...LIMIT_OPTIONS,
      { flags: '--comment', description: 'comment on the issue when the run ends' },
      { flags: '--pr', description: 'push the branch and open a pull request; each needs your decision' },
      { flags: '--no-pr', description: 'open none, even if the profile says so' },
      ...PULL_OPTIONS,
      ...PLACEMENT_OPTIONS,
      ...START_OPTIONS,
    ],
    details:
      'The run works in a new worktree and on a new branch; your files are not touched. Work that no review approved is ' +
      'never reported as complete: the exit code is 3 if the profile let the run continue.',
    examples: [
      ['signalbox implement issue.md', 'with the first agent that is found'],
      ['signalbox implement gh:12 --profile careful', 'an issue on GitHub'],
      ['signalbox implement --design docs/plans/2026-03-01-search-design.md', 'the result of brainstorm'],
      ['signalbox implement issue.md --agent demo --auto-approve --json', 'unattended, with the scripted agent'],
    ],
  },
  review: {
    group: 'runs',
    summary: 'review changes, pick findings, have them fixed',
    arguments: [{ name: 'range', description: 'a..b, a...b, or one revision: the changes since', optional: true }],
    options: [
      { flags: '--local', description: 'uncommitted changes, new files included' },
      { flags: '--run <run>', description: 'the branch of a run, compared with where it started' },
      { flags: '--pr <n>', description: 'a pull request on GitHub' },
      {
        flags: '--findings <file>',
        description: 'your own findings instead of the first review: JSON, [{ "file", "line", "text" }]',
      },
      {
        flags: '--type <type>',
        description: 'general, security, or one of your own; repeatable',
        repeatable: true,
      },
      { flags: '--fix', description: 'have findings fixed' },
      { flags: '--no-fix', description: 'report only' },
      { flags: '--auto-approve', description: 'fix every finding that the Evaluator would implement' },
      { flags: '--passes <n>', description: 'at most this many passes' },
      { flags: '--commit', description: 'commit the fixes of each pass' },
      { flags: '--no-commit', description: 'leave the fixes uncommitted' },
      ...ROLE_OPTIONS,
      ...LIMIT_OPTIONS,
      ...PLACEMENT_OPTIONS,
      ...START_OPTIONS,
    ],
    details:
      'Without a terminal it only reports, unless --fix is given. Exit 0: no serious finding is open; 3: some are.',
    examples: [
      ['signalbox review --local', 'before you commit'],
      ['signalbox review main..HEAD --type general --type security', 'a branch'],
      ['signalbox review --local --fix --auto-approve --json', 'for a script'],
    ],
  },
  pr: {
    group: 'runs',
    summary: 'open the pull request of a run, or follow one until it is merged',
    arguments: [
      { name: 'run', description: 'the run whose branch is published; or watch', optional: true, completes: 'run' },
      { name: 'pull', description: 'with watch: the number or address of a pull request', optional: true },
    ],
    options: [
      { flags: '--branch <name>', description: 'publish a branch of this repository; HEAD: the current one' },
      ...PULL_OPTIONS,
      { flags: '--auto-approve', description: 'fix every item that the Evaluator would fix' },
      ...ROLE_OPTIONS,
      ...LIMIT_OPTIONS,
      ...START_OPTIONS,
    ],
    details:
      'Uses gh (GitHub) or glab (GitLab) with your login. Every push, pull request, comment and merge is a request that shows ' +
      'its whole text; a standing approval or pull_request.allow of the profile may cover all but the merge.',
    examples: [
      ['signalbox pr latest --draft', 'publish what the last run made'],
      ['signalbox pr --branch HEAD', 'publish the branch that you are on'],
      ['signalbox pr watch 12 --detach', 'the daemon answers checks and comments'],
    ],
  },
  pipelines: {
    group: 'runs',
    summary: 'list the built-in pipelines; draw one, export it as DOT, see its prompts',
    arguments: [
      {
        name: 'action',
        description: 'list (default), show, eject, prompts or set-plan',
        optional: true,
        completes: ['list', 'show', 'eject', 'prompts', 'set-plan'],
      },
      {
        name: 'name',
        description: 'the pipeline; with prompts: a prompt’s id; with set-plan: the run',
        optional: true,
      },
      { name: 'file', description: 'with set-plan: the plan', optional: true, completes: 'file' },
    ],
    options: [
      {
        flags: '-o, --output <file>',
        description: 'with show: .svg, .dot or .md (default: a table on standard output)',
      },
      ROLE_OPTIONS[0],
      JSON_OPTION,
    ],
    details:
      'eject prints a workflow for signalbox run: change it, and run it with --input issue=issue.md. Your own prompts are ' +
      'files in the prompts directory of the settings; a run stores the version that each step used.',
    examples: [
      ['signalbox pipelines', 'list them'],
      ['signalbox pipelines show implementation -o implementation.svg', 'as a picture'],
      ['signalbox pipelines eject implementation', 'as DOT, to change it'],
      ['signalbox pipelines prompts architect.plan', 'the Architect’s prompt'],
    ],
  },
} as const satisfies CommandSpecs
