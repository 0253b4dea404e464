import { type CommandSpec, JSON_OPTION } from './command-spec.js'

const PROFILE_OPTION = {
  flags: '--profile <name>',
  description: 'a profile of the settings (default: pipelines.profile)',
}
const AGENT_OPTION = { flags: '--agent <name>', description: 'agent of the roles that the profile gives none' }
const MODEL_OPTION = { flags: '--model <name>', description: 'model of the roles that the profile gives none' }
const DETACH_OPTION = { flags: '--detach', description: 'let the daemon drive it' }
const NO_ASK_OPTION = {
  flags: '--no-ask',
  description: 'ask nothing at this terminal; the run waits, and the exit code is 4',
}

const LABEL_OPTION = {
  flags: '--label <key=value>',
  description: 'kept with the run; may be given again. Queued runs with a higher priority=<n> are started first',
  repeatable: true,
}
const TRUST_OPTION = {
  flags: '--trust <hash>',
  description: 'let the files of the project run that have this hash, where nobody can be asked',
}

/** Commands about the pipelines that ship with the program. */
export const PIPELINE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'implement',
    group: 'runs',
    summary: 'from an issue to a branch: plan, your approval, task by task with reviews and commits',
    arguments: [
      {
        name: 'issue',
        description: 'a file, gh:12, an issue’s address, or jira:KEY-1',
        optional: true,
        completes: 'file',
      },
    ],
    options: [
      { flags: '--title <text>', description: 'instead of an issue: what is to be done' },
      { flags: '--description <text>', description: 'with --title: more about it' },
      { flags: '--design <file>', description: 'a design that the plan keeps to' },
      { flags: '--plan <file>', description: 'your own plan instead of the Architect’s; `-` reads standard input' },
      { flags: '--force', description: 'with --plan: let one that is not valid reach the gate' },
      PROFILE_OPTION,
      AGENT_OPTION,
      MODEL_OPTION,
      { flags: '--branch <name>', description: 'the branch to work on (default: signalbox/<issue>)' },
      { flags: '--base <revision>', description: 'where the branch begins (default: the default branch)' },
      { flags: '--in-place', description: 'work in this directory instead of a worktree' },
      { flags: '--allow-dirty', description: 'with --in-place: leave changed files as they are, and go on' },
      { flags: '--queue', description: 'make the run, and start it later with resume' },
      { flags: '--plan-only', description: 'stop when the plan waits for you' },
      { flags: '--auto-approve', description: 'approve a plan that is valid; nothing else is decided for you' },
      { flags: '--max-cost <usd>', description: 'pause when so much is spent' },
      { flags: '--max-tokens <n>', description: 'pause when so many tokens are used' },
      { flags: '--comment', description: 'tell the issue’s tracker how it ended' },
      LABEL_OPTION,
      TRUST_OPTION,
      DETACH_OPTION,
      NO_ASK_OPTION,
      JSON_OPTION,
    ],
    details:
      'The run works in a worktree and on a branch of its own; your tree stays as it is. Work that no review approved is never called complete: the exit code is 3 where a policy let it through.',
    examples: [
      ['signalbox implement issue.md', 'with the first agent that is found'],
      ['signalbox implement gh:12 --profile careful', 'an issue on GitHub'],
      ['signalbox implement issue.md --agent demo --auto-approve --json', 'unattended, on the scripted agent'],
    ],
    load: () => import('../commands/implement.js'),
  },
  {
    name: 'review',
    group: 'runs',
    summary: 'look at changes, pick what to fix, have it fixed',
    arguments: [{ name: 'range', description: 'a..b, a...b, or one revision: what came since', optional: true }],
    options: [
      { flags: '--local', description: 'uncommitted changes, including new files' },
      { flags: '--run <run>', description: 'the branch of a run, against where it began' },
      { flags: '--pr <n>', description: 'a pull request on GitHub' },
      {
        flags: '--type <type>',
        description: 'general, security, or one of your own; may be given again',
        repeatable: true,
      },
      { flags: '--fix', description: 'have items fixed' },
      { flags: '--no-fix', description: 'only say what there is' },
      { flags: '--auto-approve', description: 'fix every item that the Evaluator would implement' },
      { flags: '--passes <n>', description: 'how often at most' },
      { flags: '--commit', description: 'a commit for the fixes of each pass' },
      { flags: '--no-commit', description: 'leave the fixes uncommitted' },
      PROFILE_OPTION,
      AGENT_OPTION,
      MODEL_OPTION,
      { flags: '--max-cost <usd>', description: 'pause when so much is spent' },
      { flags: '--max-tokens <n>', description: 'pause when so many tokens are used' },
      LABEL_OPTION,
      TRUST_OPTION,
      DETACH_OPTION,
      NO_ASK_OPTION,
      JSON_OPTION,
    ],
    details:
      'Without a terminal it only reports, unless --fix is given. Exit 0: nothing serious is open; 3: something is.',
    examples: [
      ['signalbox review --local', 'before you commit'],
      ['signalbox review main..HEAD --type general --type security', 'a branch'],
      ['signalbox review --local --fix --auto-approve --json', 'for a script'],
    ],
    load: () => import('../commands/review.js'),
  },
  {
    name: 'pipelines',
    group: 'runs',
    summary: 'the pipelines that ship; draw one, take one over as DOT, see its prompts',
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
      PROFILE_OPTION,
      JSON_OPTION,
    ],
    details:
      'eject prints a workflow that signalbox run takes: change it, and run it with --input issue=issue.md. Prompts are files of yours in the prompts directory of the settings; the version that a step used is kept with the run.',
    examples: [
      ['signalbox pipelines', 'what there is'],
      ['signalbox pipelines show implementation -o implementation.svg', 'as a picture'],
      ['signalbox pipelines eject implementation', 'as DOT, to change'],
      ['signalbox pipelines prompts architect.plan', 'what the Architect is told'],
    ],
    load: () => import('../commands/pipelines.js'),
  },
]
