import { type CommandSpecs, JSON_OPTION, PLACEMENT_OPTIONS, SANDBOX_OPTIONS } from './command-spec.js'

const SESSION_ARGUMENT = {
  name: 'id',
  description: 'the session: its id, a unique prefix of it, or its number',
  completes: 'session',
} as const

const ACTIVE_ARGUMENT = {
  name: 'id',
  description: 'the session: its id, a unique prefix of it, or its number; default: the active session (signalbox use)',
  completes: 'session',
  optional: true,
} as const

/** Starting agents, talking to them, stopping them. */
export const SESSION_COMMANDS = {
  start: {
    group: 'sessions',
    daily: true,
    aliases: ['new'],
    summary: 'start an agent, or any program, as a session',
    arguments: [
      { name: 'agent', description: 'the agent to run (see `signalbox doctor`)', optional: true, completes: 'agent' },
    ],
    rest: '[-- args…]',
    options: [
      { flags: '--cwd <dir>', description: 'directory to start it in (default: here)' },
      { flags: '--prompt <text>', description: 'the first prompt, sent when the agent is ready' },
      { flags: '--worktree', description: 'in a new git worktree of the repository, on its own branch' },
      { flags: '--name <text>', description: 'a name for lists (default: from the first prompt)' },
      { flags: '--budget <usd>', description: 'pause it when it has used this much' },
      { flags: '--size <CxR>', description: 'terminal size, such as 120x40' },
      ...SANDBOX_OPTIONS,
      { flags: '--acp', description: 'without a terminal, over the Agent Client Protocol' },
      { flags: '--attach', description: 'attach to it at once' },
      ...PLACEMENT_OPTIONS,
      { flags: '--no-queue', description: 'fail if no worker can take it now' },
      { flags: '--wait', description: 'run in the foreground, print its output, exit with its code' },
      { flags: '--raw', description: 'with --wait: the exact bytes, escape sequences included' },
      JSON_OPTION,
    ],
    details:
      'With an agent, words after -- are its arguments. Without one, they are the program to run and its arguments.',
    examples: [
      ['signalbox start demo', 'the scripted demo agent, in a scratch project'],
      ['signalbox start demo --attach', 'the same, with your terminal attached'],
      ['signalbox start claude --worktree --prompt "fix the flaky test"', 'on a branch of its own'],
      ['signalbox start -- htop', 'any program as a session'],
      ['signalbox start gemini --acp', 'without a terminal, over the Agent Client Protocol'],
      ['signalbox start --acp -- goose acp', 'any program that speaks the protocol'],
      ['signalbox start claude --sandbox', 'only the project is writable, only known hosts are reached'],
      ['signalbox start claude --on w3 --cwd /srv/shop', 'on the machine of a worker, in its directory'],
      ['signalbox start --wait --raw -- make test', 'in the foreground, unchanged output, its exit code'],
    ],
  },
  sessions: {
    group: 'sessions',
    daily: true,
    aliases: ['ls'],
    summary: 'list sessions',
    options: [{ flags: '-a, --all', description: 'also list sessions that have ended' }, JSON_OPTION],
    examples: [
      ['signalbox sessions', 'what is running'],
      ['signalbox sessions --all --json', 'everything, for a program'],
    ],
  },
  adopt: {
    group: 'sessions',
    summary: 'continue a conversation that Claude Code or Codex has on disk, as a session',
    arguments: [
      {
        name: 'id',
        description: 'the agent’s id of the conversation, or a unique prefix; without it, conversations are listed',
        optional: true,
      },
    ],
    options: [
      { flags: '--all', description: 'list conversations of all directories, not only of this one' },
      { flags: '--agent <agent>', description: 'only conversations of this agent', choices: ['claude', 'codex'] },
      { flags: '--name <text>', description: 'a name for lists (default: from the first prompt)' },
      { flags: '--attach', description: 'attach to it at once' },
      JSON_OPTION,
    ],
    details: 'End the agent in its other terminal first: two programs must not write one conversation.',
    examples: [
      ['signalbox adopt', 'conversations of this directory, newest first'],
      ['signalbox adopt 01665219 --attach', 'continue one'],
    ],
  },
  search: {
    group: 'sessions',
    summary: 'search every conversation, command, file name and request, of all sessions and runs',
    arguments: [{ name: 'words', description: 'every word must occur; "in quotes" together', variadic: true }],
    options: [
      {
        flags: '--kind <kind>',
        description: 'only these; repeatable',
        choices: ['prompt', 'message', 'request', 'session', 'run'],
        repeatable: true,
      },
      { flags: '--session <id>', description: 'only this session' },
      { flags: '--project <dir>', description: 'only this directory' },
      { flags: '--since <time>', description: 'not older than this (2026-03-01, 24h)' },
      { flags: '--limit <n>', description: 'at most this many, newest first (default 20, at most 100)' },
      JSON_OPTION,
    ],
    details: 'The last word may be the beginning of a word. The daemon keeps the index up to date (search.db).',
    examples: [
      ['signalbox search discount rounding', 'everything about it, newest first'],
      ['signalbox search "npm test" --kind request --since 7d', 'requests of the last week'],
      ['signalbox search src/cart.js --project .', 'a file, in this project'],
    ],
  },
  budget: {
    group: 'sessions',
    summary: 'show or set what a session may use before it is paused',
    arguments: [
      SESSION_ARGUMENT,
      { name: 'usd', description: 'the budget in USD, or none for no limit', optional: true },
    ],
    options: [{ flags: '--tokens <n>', description: 'the budget in tokens, or none' }, JSON_OPTION],
    details:
      'A session that has used its budget is paused: the agent is interrupted, you are notified, and prompts are held ' +
      'until you raise the budget. What you type in its terminal still reaches the agent. The settings ' +
      'sessions.max_cost and sessions.max_tokens apply to each session, runs.day_usd to everything in a day.',
    examples: [
      ['signalbox budget 2', 'what session 2 has used, and its budget'],
      ['signalbox budget 2 10', 'ten dollars; if it was paused, it continues'],
      ['signalbox budget 2 none --tokens 500000', 'no limit in dollars, 500 000 tokens'],
    ],
  },
  model: {
    group: 'sessions',
    summary: 'show the model of a session, or switch it',
    arguments: [SESSION_ARGUMENT, { name: 'name', description: 'the new model', optional: true }],
    options: [JSON_OPTION],
    details: 'Sends the agent’s own command when the agent is idle. Agents that choose in a menu say so.',
    examples: [
      ['signalbox model 2', 'the model that the agent reports'],
      ['signalbox model 2 opus', 'switch'],
    ],
  },
  mode: {
    group: 'sessions',
    summary: 'show the permission mode of a session, or switch to the next',
    arguments: [SESSION_ARGUMENT],
    options: [{ flags: '--next', description: 'press the agent’s key for the next mode' }, JSON_OPTION],
    examples: [
      ['signalbox mode 2', 'what the agent does without asking'],
      ['signalbox mode 2 --next', 'switch'],
    ],
  },
  rename: {
    group: 'sessions',
    summary: 'give a session a name',
    arguments: [SESSION_ARGUMENT, { name: 'name', description: 'the new name', variadic: true }],
    options: [JSON_OPTION],
    examples: [['signalbox rename 2 fix the login page', 'lists and pages show this name']],
  },
  usage: {
    group: 'sessions',
    summary: 'print what sessions and runs have cost',
    arguments: [],
    options: [
      {
        flags: '--range <range>',
        description: '7d, 30d, 90d, all, or two dates: 2026-03-01..2026-03-31 (default: 30d)',
      },
      {
        flags: '--by <what>',
        description: 'one line for each of these (default: day)',
        choices: ['day', 'agent', 'model', 'project', 'pipeline', 'node'],
      },
      JSON_OPTION,
    ],
    examples: [['signalbox usage --range 7d --by project', 'the last week, by project']],
  },
  share: {
    group: 'sessions',
    summary: 'make a link that shows one session, read-only, until it expires',
    arguments: [{ ...SESSION_ARGUMENT, optional: true }],
    options: [
      { flags: '--for <duration>', description: 'how long it works, such as 2h or 7d (default: 24h, at most 7d)' },
      { flags: '--revoke <link>', description: 'end a link; its id is in the list' },
      JSON_OPTION,
    ],
    details:
      'Without a session: the links that work now. Anyone with the link sees the conversation and the screen of the session.',
    examples: [
      ['signalbox share 2', 'a link for one day'],
      ['signalbox share 2 --for 1h', 'for one hour'],
      ['signalbox share', 'list the links'],
    ],
  },
  diff: {
    group: 'sessions',
    daily: true,
    summary: 'show what is not committed in the repository of a session',
    arguments: [ACTIVE_ARGUMENT],
    options: [JSON_OPTION],
    examples: [
      ['signalbox diff 2', 'uncommitted changes, with new files'],
      ['signalbox diff 2 | git apply --check -R', 'as a patch'],
    ],
  },
  use: {
    group: 'sessions',
    summary: 'set the active session: that of send, read and interrupt without an id',
    arguments: [
      {
        name: 'id',
        description: 'the session: its id, a unique prefix of it, or its number',
        optional: true,
        completes: 'session',
      },
    ],
    options: [JSON_OPTION],
    details: 'use alone prints it. A session that you start becomes active; when it ends, the ' + 'previous one does.',
    examples: [
      ['signalbox use 2', 'use session 2 from now on'],
      ['signalbox use', 'print the active session'],
    ],
  },
  attach: {
    group: 'sessions',
    daily: true,
    summary: 'attach your terminal to a session; ctrl-] detaches',
    arguments: [SESSION_ARGUMENT],
    options: [{ flags: '--view', description: 'watch only: keys are not sent, the size stays' }],
    details:
      'Several terminals can be attached at once. One of them types and sets the size; the others watch, see who ' +
      'types, and take over with ctrl-t (attach.take_key, attach.detach_key in the settings).',
    examples: [
      ['signalbox attach ses_4k', 'by a unique prefix of the id'],
      ['signalbox attach 2', 'by number'],
    ],
  },
  send: {
    group: 'sessions',
    daily: true,
    summary: 'send a prompt to a session',
    arguments: [ACTIVE_ARGUMENT, { name: 'text', description: 'the prompt; - reads standard input', optional: true }],
    options: [
      { flags: '--file <path>', description: 'read the prompt from this file' },
      { flags: '--wait', description: 'print the answer as it comes, and exit when the turn ends' },
      { flags: '--timeout <seconds>', description: 'with --wait: give up after this long (exit 5)' },
      { flags: '--queue', description: 'while the agent works: hold the prompt here until it is idle' },
      { flags: '--no-queue', description: 'while the agent works: refuse the prompt' },
      { flags: '--clear-draft', description: 'delete text in the input box, unless someone is typing it' },
      {
        flags: '--as <meaning>',
        description: 'what a text that starts with / ! @ # means; by default only /word is a command',
        choices: ['text', 'command'],
      },
      JSON_OPTION,
    ],
    details:
      'A single word is the prompt and goes to the active session: the one that you chose with `signalbox use` or ' +
      'started last. While the agent works, a prompt goes into the agent’s own queue if it has one; else it is held here. ' +
      'With --wait the exit code is 0 when the agent is done or opened no turn, 3 when a person denied something, 4 ' +
      'when it needs a person, 5 after --timeout, 130 when it was interrupted, 1 when it failed or the prompt was not delivered.',
    examples: [
      ['signalbox send "run the tests"', 'to the active session'],
      ['signalbox send 1 "run the tests"', 'to session 1'],
      ['signalbox send 1 "run the tests" --wait', 'and print the answer'],
      ['signalbox send 1 --file task.md --queue', 'once the agent is idle'],
      ['signalbox send 1 "/etc/hosts looks wrong" --as text', 'a text that starts like a command'],
    ],
  },
  read: {
    group: 'sessions',
    daily: true,
    summary: 'print the conversation of a session or a tmux pane',
    arguments: [ACTIVE_ARGUMENT],
    options: [
      { flags: '--turn <n>', description: 'only this turn; negative numbers count from the end' },
      { flags: '--since <turn>', description: 'only what came after this turn: its number, or its id from --json' },
      { flags: '--screen', description: 'the current screen instead of the conversation' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox read 1', 'the whole conversation'],
      ['signalbox read 1 --turn -1', 'the last turn'],
      ['signalbox read 1 --since 3', 'what came after turn 3'],
      ['signalbox read 1 --screen', 'the screen as text'],
      ['signalbox read main:1.0', 'an agent in a tmux pane, as far back as tmux keeps it'],
    ],
  },
  wait: {
    group: 'sessions',
    summary: 'wait until a session is idle, needs a decision, or has ended',
    arguments: [SESSION_ARGUMENT],
    options: [
      { flags: '--for <what>', description: 'what to wait for', choices: ['idle', 'approval', 'done'] },
      { flags: '--timeout <seconds>', description: 'give up after this long (exit 5)' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox wait 1 --for idle', 'until the agent is idle'],
      ['signalbox wait 1 --for approval --timeout 60', 'until it asks, at most a minute'],
    ],
  },
  stop: {
    group: 'sessions',
    daily: true,
    summary: 'stop a session: interrupt, exit keys, then signals',
    arguments: [SESSION_ARGUMENT],
    options: [JSON_OPTION],
    examples: [['signalbox stop 1', 'stop session 1']],
  },
  interrupt: {
    group: 'sessions',
    summary: 'interrupt the current turn of an agent; the session stays',
    arguments: [ACTIVE_ARGUMENT],
    options: [JSON_OPTION],
    details:
      'Presses the agent’s own interrupt keys and checks for five seconds whether it stopped. Refused while ' +
      'a request is open: deny that instead.',
    examples: [['signalbox interrupt 1', 'interrupt this turn']],
  },
  resume: {
    group: 'sessions',
    summary: 'resume a session that ended, a run that stopped, or a checkpoint file',
    arguments: [
      {
        name: 'id',
        description:
          'a session’s id or number, a run’s id (run_…), latest for the newest run here, or a checkpoint file',
        optional: true,
        completes: 'resumable',
      },
    ],
    options: [
      { flags: '--attach', description: 'session: attach to it at once' },
      { flags: '--graph <file>', description: 'graph run or checkpoint: continue with this DOT file' },
      { flags: '--agent <agent>', description: 'checkpoint: agent of nodes that name none' },
      { flags: '--max-iterations <n>', description: 'oneshot: how many iterations it may have in total' },
      { flags: '--trust <hash>', description: 'with --graph: trust the files with this hash' },
      { flags: '--answers <file>', description: 'graph run: answers to the gates, as JSON' },
      { flags: '--checkpoint-dir <dir>', description: 'graph run: write checkpoint_<ms>.json there after each node' },
      { flags: '--no-ask', description: 'graph run: do not ask gates in this terminal' },
      { flags: '--queued', description: 'start every queued pipeline run, one after the other' },
      { flags: '--lost', description: 'every session that ran when the machine stopped' },
      JSON_OPTION,
    ],
    details:
      'A session can be resumed if the agent’s own conversation id is known: from hooks, the transcript or the agent’s ' +
      'last output. A run continues where it stopped; finished steps are not repeated.',
    examples: [
      ['signalbox resume 1', 'the same agent, directory and arguments'],
      ['signalbox resume latest', 'the newest run of this directory'],
      ['signalbox resume --lost', 'after a restart of the machine'],
      ['signalbox resume checkpoint.json --graph flow.dot', 'a run from another machine'],
    ],
  },
  files: {
    group: 'sessions',
    summary: 'upload files for an agent (put), download from its project (get)',
    arguments: [
      { name: 'action', description: 'put or get', completes: ['put', 'get'] },
      SESSION_ARGUMENT,
      {
        name: 'paths',
        description: 'put: your files; get: one file, relative to the project',
        variadic: true,
        completes: 'file',
      },
    ],
    options: [
      {
        flags: '-o, --output <path>',
        description: 'get: write it here instead of to its own name; - is standard output',
      },
      { flags: '--silent', description: 'put: do not notify the agent' },
      JSON_OPTION,
    ],
    details:
      'Uploads are stored in a folder of the session, and the agent gets their paths. Only files of the project and ' +
      'uploads of the session can be downloaded; never credentials or Signalbox’s own files.',
    examples: [
      ['signalbox files put 1 screenshot.png notes.md', 'upload two files and notify the agent'],
      ['signalbox files get 1 docs/report.md -o -', 'print a file of the project'],
    ],
  },
} as const satisfies CommandSpecs
