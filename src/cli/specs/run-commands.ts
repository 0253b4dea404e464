import { type CommandSpecs, JSON_OPTION, PLACEMENT_OPTIONS, RUN_ARGUMENT, SANDBOX_OPTIONS } from './command-spec.js'

const LEVELS = ['read', 'ask', 'edits', 'all'] as const

const OPTIONAL_RUN = {
  name: 'run',
  description: 'the run: its id, a unique prefix of it, or latest; default: the only pipeline run here',
  optional: true,
  completes: 'run',
} as const
const REASON_OPTION = { flags: '--reason <text>', description: 'stored with the run' } as const

/** The worker-auditor loop. */
export const ONESHOT_COMMANDS = {
  oneshot: {
    group: 'runs',
    daily: true,
    summary: 'a worker does a task, an auditor judges it, until it is done',
    arguments: [{ name: 'task', description: 'what to do; - reads standard input', optional: true }],
    options: [
      { flags: '--task-file <file>', description: 'read the task from this file' },
      { flags: '--agent <agent>', description: 'agent of worker and auditor' },
      { flags: '--worker <agent>', description: 'agent of the worker' },
      { flags: '--auditor <agent>', description: 'agent of the auditor' },
      { flags: '--model <name>', description: 'model of worker and auditor' },
      { flags: '--worker-model <name>', description: 'model of the worker' },
      { flags: '--auditor-model <name>', description: 'model of the auditor' },
      { flags: '--max-iterations <n>', description: 'turns of worker and auditor (default: 5)' },
      { flags: '--inactivity-threshold <time>', description: 'silence that ends a step (default: 300s; 0 is off)' },
      {
        flags: '--tool-inactivity-threshold <time>',
        description: 'the same while a tool runs (default: 30m)',
      },
      { flags: '--timeout <time>', description: 'the longest that one step may take' },
      { flags: '--permissions <level>', description: 'what the worker may do without asking', choices: LEVELS },
      {
        flags: '--auditor-permissions <level>',
        description: 'what the auditor may do without asking (default: read)',
        choices: LEVELS,
      },
      {
        flags: '--check <command>',
        description: 'run after each worker; its output goes to the auditor; repeatable',
        repeatable: true,
      },
      { flags: '--max-cost <usd>', description: 'pause when this much is spent' },
      { flags: '--max-tokens <n>', description: 'pause when this many tokens are used' },
      { flags: '--max-time <time>', description: 'pause after this long' },
      { flags: '--worker-header <text>', description: 'text before the worker’s task' },
      { flags: '--reworker-header <text>', description: 'text before the feedback of a further iteration' },
      { flags: '--auditor-header <text>', description: 'text before the auditor’s task' },
      { flags: '--endpoint <url>', description: 'agent direct: address of an OpenAI-compatible server' },
      { flags: '--worker-endpoint <url>', description: 'agent direct: address of the worker’s server' },
      { flags: '--auditor-endpoint <url>', description: 'agent direct: address of the auditor’s server' },
      { flags: '--api-key-env <name>', description: 'agent direct: variable that holds the key' },
      { flags: '--worker-api-key-env <name>', description: 'agent direct: variable that holds the worker’s key' },
      { flags: '--auditor-api-key-env <name>', description: 'agent direct: variable that holds the auditor’s key' },
      { flags: '--worktree', description: 'work in a new git worktree' },
      { flags: '--branch <name>', description: 'branch of the worktree (default: signalbox/oneshot/<id>)' },
      { flags: '--resume [id]', description: 'resume an interrupted or failed run (default: the newest here)' },
      { flags: '--view <id>', description: 'show a run and exit' },
      { flags: '--follow <id>', description: 'watch a run; ctrl-C stops only the watching' },
      { flags: '--logs-dir <dir>', description: 'also write oneshot.json and oneshot-log.json there' },
      { flags: '--session-log <file>', description: 'one combined log: Markdown for .md, else NDJSON' },
      { flags: '--live', description: 'run the worker in a terminal of the daemon that people can attach to' },
      { flags: '--detach', description: 'return at once: the daemon runs it in the background' },
      ...SANDBOX_OPTIONS,
      ...PLACEMENT_OPTIONS,
      { flags: '--trust <hash>', description: 'trust the project’s settings and agent hooks with this hash' },
      { flags: '--no-input', description: 'never ask a person' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox oneshot "make the tests pass" --worker claude --auditor codex', 'in this directory'],
      ['signalbox oneshot "add a line to the notes" --agent demo', 'with the scripted agent: no key, no network'],
      ['signalbox oneshot --resume', 'resume the newest run of this directory'],
    ],
  },
} as const satisfies CommandSpecs

/** Runs of every kind: list, inspect, cancel. */
export const RUN_COMMANDS = {
  runs: {
    group: 'runs',
    daily: true,
    summary: 'list runs; --worktrees: the worktrees they left',
    arguments: [
      { name: 'action', description: 'move: to another worker', optional: true, completes: ['move'] },
      { name: 'run', description: 'with move: the run', optional: true, completes: 'run' },
    ],
    options: [
      { flags: '--all', description: 'also list archived runs' },
      {
        flags: '--status <status>',
        description: 'only runs with this status',
        choices: ['queued', 'working', 'needs-you', 'interrupted', 'paused', 'done', 'failed', 'rejected', 'cancelled'],
      },
      { flags: '--limit <n>', description: 'at most this many (default: 50)' },
      { flags: '--worktrees', description: 'the worktrees that runs have left: size, age, merged or not' },
      { flags: '--clean', description: 'with --worktrees: remove those of ended runs that are merged and unchanged' },
      { flags: '--remove <run>', description: 'with --worktrees: remove the one of this run; its branch stays' },
      {
        flags: '--force',
        description: 'with --remove: even with uncommitted files; they are saved for 7 days',
      },
      { flags: '--yes', description: 'with --force: without typing the path' },
      { flags: '--to <worker>', description: 'with move: the worker (default: one with room)' },
      { flags: '--lossy', description: 'with move: even if its worker is away or files were not saved; they are lost' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox runs', 'newest first'],
      ['signalbox runs --worktrees --clean', 'free disk space'],
      ['signalbox runs move 3f --to w2', 'the step in progress starts again on w2'],
    ],
  },
  show: {
    group: 'runs',
    summary: 'show the state of a run: steps, verdicts, evidence, usage',
    arguments: [RUN_ARGUMENT],
    options: [{ flags: '--events', description: 'the journal of the run, one event per line' }, JSON_OPTION],
    examples: [['signalbox show latest', 'the newest run of this directory']],
  },
  logs: {
    group: 'runs',
    summary: 'print what the agents of a run said and did',
    arguments: [RUN_ARGUMENT, { name: 'step', description: 'only this step, such as worker@1#1', optional: true }],
    options: [{ flags: '-f, --follow', description: 'continue until the run ends or is paused' }, JSON_OPTION],
    examples: [
      ['signalbox logs latest', 'the whole log'],
      ['signalbox logs -f latest', 'as it happens, also for a run of the daemon or another terminal'],
    ],
  },
  export: {
    group: 'runs',
    summary: 'export a session to share it, the files of a run, or everything',
    arguments: [
      {
        name: 'run',
        description: 'a run (id, unique prefix, latest); with html and asciicast a session (id, number)',
        optional: true,
      },
    ],
    options: [
      {
        flags: '--all',
        description: 'everything: events and records as JSON, recordings as asciicast, conversations as Markdown',
      },
      {
        flags: '--format <format>',
        description:
          'html: the conversation of a session as one page; asciicast: its recording; both without secrets. oneshot: oneshot.json and oneshot-log.json; attractor: the run directory of a graph',
        choices: ['html', 'asciicast', 'oneshot', 'attractor'],
      },
      {
        flags: '-o, --output <dir>',
        description: 'target directory (default: the run’s own; with --all: a new one here); of a session: the file',
      },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox export 1 --format html', 'session-1.html, for someone without access'],
      ['signalbox export 1 --format asciicast', 'session-1.cast, for asciinema and its players'],
      ['signalbox export latest --format oneshot -o out', 'both files, as they are now'],
      ['signalbox export --all -o everything', 'readable without Signalbox'],
    ],
  },
  pause: {
    group: 'runs',
    summary: 'pause a run, also one of the daemon or another terminal; resume continues it',
    arguments: [OPTIONAL_RUN],
    options: [REASON_OPTION, JSON_OPTION],
    examples: [['signalbox pause latest', 'stops its steps; signalbox resume latest continues it']],
  },
  cancel: {
    group: 'runs',
    summary: 'cancel a run; it cannot be resumed',
    arguments: [OPTIONAL_RUN],
    options: [REASON_OPTION, JSON_OPTION],
    examples: [['signalbox cancel latest', 'stops its steps and closes its gates']],
  },
  schedule: {
    group: 'runs',
    summary: 'start a run or a session at times of a cron expression; list and change schedules',
    arguments: [
      {
        name: 'when',
        description:
          'minute hour day month weekday, @hourly, @daily, @weekly, @monthly; or pause, resume, start, remove',
        optional: true,
        completes: ['pause', 'resume', 'start', 'remove'],
      },
      {
        name: 'command',
        description: 'oneshot, run, implement, review, start or send, with arguments; or the id of a schedule',
        optional: true,
        variadic: true,
      },
    ],
    rest: '[-- command…]',
    options: [{ flags: '--name <text>', description: 'a name for lists' }, JSON_OPTION],
    details:
      'The daemon starts the command in this directory, in the time zone of this machine. Each time starts it once; if times were missed because no daemon ran, the next daemon starts it once. Write -- before a command with options.',
    examples: [
      ['signalbox schedule "0 2 * * *" -- oneshot "Update the dependencies" --agent claude', 'every night at 2:00'],
      ['signalbox schedule "*/30 9-17 * * mon-fri" -- send 3 "Any news in CI?"', 'a prompt for session 3'],
      ['signalbox schedule', 'what is scheduled, when it starts next, what it started last'],
      ['signalbox schedule remove sch_4k', 'remove it'],
    ],
  },
} as const satisfies CommandSpecs
