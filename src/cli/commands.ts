import { type CommandSpec, JSON_OPTION } from './command-spec.js'

const SESSION_ARGUMENT = {
  name: 'id',
  description: 'the session: its id, a unique beginning of it, or its number',
  completes: 'session',
} as const

const APPROVAL_ARGUMENT = {
  name: 'id',
  description: 'the approval: its id or a unique beginning of it',
  completes: 'approval',
} as const
const FINGERPRINT_OPTION = {
  flags: '--fingerprint <hex>',
  description: 'the request’s fingerprint (at least 12 digits); required without a terminal',
}
const NO_WAIT_OPTION = { flags: '--no-wait', description: 'return when it is decided, before the agent was told' }

/** Every command of the command line, in the order of `--help`. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'status',
    group: 'everyday',
    summary: 'what needs you now: approvals, sessions (what `signalbox` alone prints)',
    options: [JSON_OPTION],
    examples: [['signalbox', 'what waits for you, and what is running']],
    load: () => import('./commands/status.js'),
  },
  {
    name: 'demo',
    group: 'everyday',
    summary: 'the whole product on a scripted agent: no key, no network',
    options: [
      { flags: '--yes', description: 'answer the agent’s requests with allow once; needed where there is no terminal' },
      { flags: '--speed <factor>', description: 'how fast the agent works; 1 is life-like' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox demo', 'watch the agent fix a bug, and answer its one request'],
      ['signalbox demo --yes --speed 5', 'without a person, fast'],
    ],
    load: () => import('./commands/demo.js'),
  },
  {
    name: 'serve',
    group: 'everyday',
    summary: 'the daemon: owns sessions; starts by itself when a command needs it',
    options: [
      { flags: '--background', description: 'start it detached and return when it answers' },
      { flags: '--stop', description: 'stop the running daemon; sessions live on in the keeper' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox serve', 'run it in this terminal'],
      ['signalbox serve --stop', 'stop it; the agents go on'],
    ],
    load: () => import('./commands/serve.js'),
  },
  {
    name: 'start',
    group: 'sessions',
    summary: 'start an agent, or any program, as a session',
    arguments: [
      { name: 'agent', description: 'the agent to run (see `signalbox doctor`)', optional: true, completes: 'agent' },
    ],
    rest: '[-- args…]',
    options: [
      { flags: '--cwd <dir>', description: 'directory to start it in (default: here)' },
      { flags: '--prompt <text>', description: 'send this as the first prompt when the agent is ready' },
      { flags: '--label <text>', description: 'a name for lists' },
      { flags: '--size <CxR>', description: 'terminal size, such as 120x40' },
      { flags: '--attach', description: 'attach to it at once' },
      { flags: '--wait', description: 'run in the foreground, print what it prints, exit with its code' },
      { flags: '--raw', description: 'with --wait: the exact bytes, escape sequences included' },
      JSON_OPTION,
    ],
    details:
      'With an agent, words behind -- are its arguments. Without one, they are the program to run and its arguments.',
    examples: [
      ['signalbox start demo', 'the scripted demo agent, in the background'],
      ['signalbox start demo --attach', 'and your terminal on it'],
      ['signalbox start -- htop', 'any program as a session'],
      ['signalbox start --wait --raw -- make test', 'in the foreground, bytes untouched, its exit code'],
    ],
    load: () => import('./commands/start.js'),
  },
  {
    name: 'sessions',
    group: 'sessions',
    summary: 'list sessions',
    options: [{ flags: '-a, --all', description: 'also those that ended' }, JSON_OPTION],
    examples: [
      ['signalbox sessions', 'what is running'],
      ['signalbox sessions --all --json', 'everything, for a program'],
    ],
    load: () => import('./commands/sessions.js'),
  },
  {
    name: 'attach',
    group: 'sessions',
    summary: 'your terminal on a session; detach with ctrl-]',
    arguments: [SESSION_ARGUMENT],
    options: [{ flags: '--view', description: 'look only: keys are not passed on, the size stays' }],
    details:
      'Several terminals may be attached at once. One of them types, and the session has its size; the others watch, see who types,\n' +
      'and take over with ctrl-t (attach.take_key, attach.detach_key in the settings).',
    examples: [
      ['signalbox attach ses_4k', 'by a unique beginning of the id'],
      ['signalbox attach 2', 'by number'],
    ],
    load: () => import('./commands/attach.js'),
  },
  {
    name: 'send',
    group: 'sessions',
    summary: 'send a prompt to a session',
    arguments: [
      SESSION_ARGUMENT,
      { name: 'text', description: 'the prompt; - reads it from standard input', optional: true },
    ],
    options: [
      { flags: '--file <path>', description: 'read the prompt from this file' },
      { flags: '--wait', description: 'print the answer as it comes and end when the turn does' },
      { flags: '--timeout <seconds>', description: 'with --wait: give up after this long (exit 5)' },
      { flags: '--queue', description: 'while the agent works: hold the prompt here until it rests' },
      { flags: '--no-queue', description: 'while the agent works: refuse it' },
      { flags: '--clear-draft', description: 'delete text that stands in the input box, unless someone is typing it' },
      {
        flags: '--as <meaning>',
        description: 'what a text that begins with / ! @ # is; by itself, only /word is a command',
        choices: ['text', 'command'],
      },
      JSON_OPTION,
    ],
    details:
      'While the agent works, a prompt goes into the agent’s own queue where it has one, and is held here otherwise.\n' +
      'With --wait the exit code is 0 when the agent is done, 3 when a person denied something, 4 when it needs one, 130 when it was\n' +
      'interrupted, 1 when it failed or the prompt was not delivered.',
    examples: [
      ['signalbox send 1 "run the tests"', 'deliver it'],
      ['signalbox send 1 "run the tests" --wait', 'and read the answer here'],
      ['signalbox send 1 --file task.md --queue', 'a long one, when the agent has finished'],
      ['signalbox send 1 "/etc/hosts looks wrong" --as text', 'a text that begins like a command'],
    ],
    load: () => import('./commands/send.js'),
  },
  {
    name: 'read',
    group: 'sessions',
    summary: 'what was said in a session',
    arguments: [SESSION_ARGUMENT],
    options: [
      { flags: '--turn <n>', description: 'only this turn; negative counts from the end' },
      {
        flags: '--since <turn>',
        description: 'only what came after this turn: its number, or its id as --json gives it',
      },
      { flags: '--screen', description: 'the screen as it is now instead of the conversation' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox read 1', 'the conversation, rendered'],
      ['signalbox read 1 --turn -1', 'the last turn'],
      ['signalbox read 1 --since 3', 'what is new since the third'],
      ['signalbox read 1 --screen', 'the terminal’s screen as text'],
    ],
    load: () => import('./commands/read.js'),
  },
  {
    name: 'wait',
    group: 'sessions',
    summary: 'wait until a session is idle, asks for something, or has ended',
    arguments: [SESSION_ARGUMENT],
    options: [
      { flags: '--for <what>', description: 'what to wait for', choices: ['idle', 'approval', 'done'] },
      { flags: '--timeout <seconds>', description: 'give up after this long (exit 5)' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox wait 1 --for idle', 'until the agent rests'],
      ['signalbox wait 1 --for approval --timeout 60', 'until it asks, a minute at most'],
    ],
    load: () => import('./commands/wait.js'),
  },
  {
    name: 'stop',
    group: 'sessions',
    summary: 'end a session: interrupt, exit keys, then signals to its process group',
    arguments: [SESSION_ARGUMENT],
    options: [JSON_OPTION],
    examples: [['signalbox stop 1', 'end it politely, then firmly']],
    load: () => import('./commands/stop.js'),
  },
  {
    name: 'interrupt',
    group: 'sessions',
    summary: 'stop what an agent works on; the session stays',
    arguments: [SESSION_ARGUMENT],
    options: [JSON_OPTION],
    details:
      'Presses the agent’s own keys and looks for five seconds whether it stopped. An open request is denied, not interrupted.',
    examples: [['signalbox interrupt 1', 'stop this turn']],
    load: () => import('./commands/interrupt.js'),
  },
  {
    name: 'resume',
    group: 'sessions',
    summary: 'go on with the conversation of a session that ended, in a new one',
    arguments: [SESSION_ARGUMENT],
    options: [{ flags: '--attach', description: 'attach to it at once' }, JSON_OPTION],
    details:
      'Needs the agent’s own id of the conversation, which hooks, the transcript or the agent’s last words told.',
    examples: [['signalbox resume 1', 'the same agent, directory and arguments']],
    load: () => import('./commands/resume.js'),
  },
  {
    name: 'files',
    group: 'sessions',
    summary: 'files for an agent (put) and from its project (get)',
    arguments: [
      { name: 'action', description: 'put or get', completes: ['put', 'get'] },
      SESSION_ARGUMENT,
      {
        name: 'paths',
        description: 'put: files of yours; get: one file, relative to the project',
        variadic: true,
        completes: 'file',
      },
    ],
    options: [
      { flags: '-o, --output <path>', description: 'get: write it here instead of its own name; - is standard output' },
      { flags: '--silent', description: 'put: do not tell the agent' },
      JSON_OPTION,
    ],
    details:
      'Uploads lie in a folder of the session, and the agent is told their paths. Handed out are files of the project and uploads of the\n' +
      'session; never what holds credentials, nor Signalbox’s own files.',
    examples: [
      ['signalbox files put 1 screenshot.png notes.md', 'two files, and the agent is told'],
      ['signalbox files get 1 docs/report.md -o -', 'print a file of the project'],
    ],
    load: () => import('./commands/files.js'),
  },
  {
    name: 'approvals',
    group: 'approvals',
    summary: 'what waits for a decision; --history what was decided',
    options: [
      { flags: '-a, --all', description: 'also those that are decided' },
      { flags: '--history', description: 'who decided what and how fast, refusals, grants' },
      { flags: '--since <time>', description: 'with --history: requests of this time or later (2026-03-01, 24h)' },
      { flags: '--run <id>', description: 'with --history: of this run' },
      { flags: '--person <name>', description: 'with --history: decided by this person' },
      { flags: '--csv', description: 'with --history: one line a request, for a spreadsheet' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox approvals', 'open requests, oldest first'],
      ['signalbox approvals --history --since 24h', 'the last day, with figures'],
      ['signalbox approvals --history --csv > approvals.csv', 'everything, for a spreadsheet'],
    ],
    load: () => import('./commands/approvals.js'),
  },
  {
    name: 'approve',
    group: 'approvals',
    summary: 'allow a request, once; or for a while, with a grant',
    arguments: [APPROVAL_ARGUMENT],
    options: [
      { flags: '--option <label>', description: 'the option to choose, by its label or a beginning that only one has' },
      FINGERPRINT_OPTION,
      { flags: '--note <text>', description: 'a note for the record' },
      { flags: '--for <duration>', description: 'also make a grant that lasts so long (30m, 2h)' },
      {
        flags: '--scope <scope>',
        description: 'where the grant holds (default: session)',
        choices: ['session', 'run', 'node', 'project'],
      },
      { flags: '--prefix <words>', description: 'the grant covers plain commands that begin with these words' },
      { flags: '--path <dir>', description: 'the grant covers writes below this directory' },
      { flags: '--uses <n>', description: 'the grant holds for so many requests' },
      { flags: '--edit <file>', description: 'allow this input instead (JSON), where the agent can take it' },
      {
        flags: '--all-like',
        description: 'also the others of the session that ask for the same tool, if all are harmless',
      },
      NO_WAIT_OPTION,
      JSON_OPTION,
    ],
    details:
      'Shows the request, asks once more unless its risk is low, says *decided* and then what became of it.\n' +
      'Without --prefix or --path a grant covers the very same request. High risks and dialogs about trust, accounts,\n' +
      'updates or money are never granted.',
    examples: [
      ['signalbox approve apr_7g', 'look at it, allow it once'],
      [
        'signalbox approve apr_7g --for 30m --prefix "npm test"',
        'and every plain npm test of this session for half an hour',
      ],
      ['signalbox approve apr_7g --fingerprint 3fa2b1c09d44', 'from a script'],
    ],
    load: () => import('./commands/approve.js'),
  },
  {
    name: 'deny',
    group: 'approvals',
    summary: 'refuse a request',
    arguments: [{ ...APPROVAL_ARGUMENT, optional: true }],
    options: [
      { flags: '--option <label>', description: 'the option to choose, where several refuse' },
      { flags: '--note <text>', description: 'why; the agent is told where it can be' },
      { flags: '-a, --all', description: 'everything that waits' },
      NO_WAIT_OPTION,
      JSON_OPTION,
    ],
    examples: [
      ['signalbox deny apr_7g --note "not on main"', 'refuse it with a reason'],
      ['signalbox deny --all', 'refuse everything that waits'],
    ],
    load: () => import('./commands/deny.js'),
  },
  {
    name: 'answer',
    group: 'approvals',
    summary: 'answer an agent’s question: an option, several choices, or a text',
    arguments: [
      APPROVAL_ARGUMENT,
      { name: 'option', description: 'the option, by its label or a beginning that only one has', optional: true },
    ],
    options: [
      { flags: '--choice <label>', description: 'one of several answers; may be given again', repeatable: true },
      { flags: '--text <text>', description: 'an answer in your own words' },
      FINGERPRINT_OPTION,
      { flags: '--note <text>', description: 'a note for the record' },
      NO_WAIT_OPTION,
      JSON_OPTION,
    ],
    examples: [
      ['signalbox answer apr_7g "Use tabs"', 'choose one'],
      ['signalbox answer apr_7g --choice Linux --choice macOS', 'choose several'],
      ['signalbox answer apr_7g --text "neither; ask me tomorrow"', 'write it'],
    ],
    load: () => import('./commands/answer.js'),
  },
  {
    name: 'grants',
    group: 'approvals',
    summary: 'what you have allowed in advance; revoke it, or rest all of it',
    arguments: [
      {
        name: 'action',
        description: 'revoke, pause or resume',
        optional: true,
        completes: ['revoke', 'pause', 'resume'],
      },
      { name: 'id', description: 'with revoke: the grant’s id or a unique beginning of it', optional: true },
    ],
    options: [{ flags: '-a, --all', description: 'also those that have ended' }, JSON_OPTION],
    examples: [
      ['signalbox grants', 'what holds now, with time and uses left'],
      ['signalbox grants revoke grt_4m', 'end one'],
      ['signalbox grants pause', 'from now on everything is asked again'],
    ],
    load: () => import('./commands/grants.js'),
  },
  {
    name: 'oneshot',
    group: 'runs',
    summary: 'a worker does the task, an auditor judges it, again until it is done',
    arguments: [{ name: 'task', description: 'what is to be done; `-` reads it from standard input', optional: true }],
    options: [
      { flags: '--task-file <file>', description: 'the task is in this file' },
      { flags: '--agent <name>', description: 'agent of worker and auditor' },
      { flags: '--worker <agent>', description: 'agent of the worker' },
      { flags: '--auditor <agent>', description: 'agent of the auditor' },
      { flags: '--model <name>', description: 'model of both' },
      { flags: '--worker-model <name>', description: 'model of the worker' },
      { flags: '--auditor-model <name>', description: 'model of the auditor' },
      { flags: '--max-iterations <n>', description: 'rounds of worker and auditor (default: 5)' },
      { flags: '--inactivity-threshold <time>', description: 'silence that ends a step (default: 300s; 0 is off)' },
      { flags: '--tool-inactivity-threshold <time>', description: 'the same while a tool runs (default: 30m)' },
      { flags: '--timeout <time>', description: 'longest time of one step' },
      {
        flags: '--permissions <level>',
        description: 'what the worker may do unasked',
        choices: ['read', 'ask', 'edits', 'all'],
      },
      {
        flags: '--auditor-permissions <level>',
        description: 'what the auditor may do unasked (default: read)',
        choices: ['read', 'ask', 'edits', 'all'],
      },
      {
        flags: '--check <command>',
        description: 'run after each worker; its output goes to the auditor',
        repeatable: true,
      },
      { flags: '--max-cost <usd>', description: 'pause when so much is spent' },
      { flags: '--max-tokens <n>', description: 'pause when so many tokens are used' },
      { flags: '--max-time <time>', description: 'pause after so long' },
      { flags: '--worker-header <text>', description: 'text before the worker’s task' },
      { flags: '--reworker-header <text>', description: 'the same for further rounds' },
      { flags: '--auditor-header <text>', description: 'text before the auditor’s task' },
      { flags: '--resume [id]', description: 'go on with an interrupted or failed one (default: the newest here)' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox oneshot "make the tests pass" --worker claude --auditor codex', 'in this directory'],
      ['signalbox oneshot "add a line to the notes" --agent demo', 'with the scripted agent: no key, no network'],
      ['signalbox oneshot --resume', 'go on with the newest one of this directory'],
    ],
    load: () => import('./commands/oneshot.js'),
  },
  {
    name: 'run',
    group: 'runs',
    summary: 'run a workflow in DOT, node by node',
    arguments: [{ name: 'file', description: 'the DOT file', completes: 'file' }],
    options: [
      { flags: '--input <key=value>', description: 'a value the graph asks for', repeatable: true },
      { flags: '--goal <text>', description: 'instead of the graph’s own goal' },
      { flags: '--agent <name>', description: 'agent of nodes that name none' },
      { flags: '--model <name>', description: 'model of nodes that name none' },
      {
        flags: '--permissions <level>',
        description: 'what agents may do unasked',
        choices: ['read', 'ask', 'edits', 'all'],
      },
      { flags: '--max-cost <usd>', description: 'pause when so much is spent' },
      { flags: '--max-tokens <n>', description: 'pause when so many tokens are used' },
      { flags: '--max-time <time>', description: 'pause after so long' },
      {
        flags: '--dry-run [script]',
        description: 'no agent, no command: simulated outcomes, by a JSON script where given',
      },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox run flow.dot --agent demo', 'every agent node by the scripted agent'],
      ['signalbox run flow.dot --dry-run', 'which way it would go'],
    ],
    load: () => import('./commands/run.js'),
  },
  {
    name: 'validate',
    group: 'runs',
    summary: 'what is wrong with a workflow in DOT, with places and fixes',
    arguments: [{ name: 'file', description: 'the DOT file; `-` reads standard input', completes: 'file' }],
    options: [
      { flags: '--strict', description: 'any finding is a failure' },
      { flags: '--all', description: 'notes, too' },
      JSON_OPTION,
    ],
    examples: [['signalbox validate flow.dot', 'every problem as file:line:column, with its rule and a fix']],
    load: () => import('./commands/validate.js'),
  },
  {
    name: 'runs',
    group: 'runs',
    summary: 'runs and how they stand',
    options: [
      { flags: '--all', description: 'archived ones, too' },
      { flags: '--status <status>', description: 'only those' },
      { flags: '--limit <n>', description: 'at most so many (default: 50)' },
      JSON_OPTION,
    ],
    examples: [['signalbox runs', 'the newest first']],
    load: () => import('./commands/runs.js'),
  },
  {
    name: 'cancel',
    group: 'runs',
    summary: 'end a run for good',
    arguments: [{ name: 'run', description: 'the run: its id, a unique beginning of it, or latest', completes: 'run' }],
    options: [{ flags: '--reason <text>', description: 'kept with the run' }, JSON_OPTION],
    examples: [['signalbox cancel latest', 'its steps are stopped, its gates closed']],
    load: () => import('./commands/cancel.js'),
  },
  {
    name: 'replay',
    group: 'screens',
    summary: 'what Signalbox would have seen in a recording, moment by moment',
    arguments: [
      { name: 'file', description: 'an asciicast (v2, v3), or terminal bytes with --size', completes: 'file' },
    ],
    options: [
      { flags: '--at <times>', description: 'only the state at these times, in seconds: 3.2,8' },
      { flags: '--at-event <numbers>', description: 'only the state after so many events: 10,20' },
      {
        flags: '--agent <name>',
        description: 'the agent in it (default: recognised by command line, banner or title)',
      },
      { flags: '--agent-version <version>', description: 'its version (default: from its banner)' },
      { flags: '--size <CxR>', description: 'terminal size; needed for raw bytes' },
      { flags: '--all', description: 'every classified frame, not only changes' },
      { flags: '--blocks', description: 'also what the agent says, block by block' },
      { flags: '--markdown', description: 'only what the agent says, as Markdown' },
      { flags: '--explain', description: 'with every line, the rules, regions and menus that decided' },
      JSON_OPTION,
    ],
    details: 'Without a terminal on standard output the lines are JSON, one value each.',
    examples: [
      ['signalbox replay session.cast', 'the time line'],
      ['signalbox replay session.cast --at 5.3 --explain', 'why it was read so at that moment'],
      ['signalbox replay session.cast --markdown > answers.md', 'what the agent said'],
      ['signalbox replay bytes.raw --size 80x24 --agent codex', 'raw terminal output'],
    ],
    load: () => import('./commands/replay.js'),
  },
  {
    name: 'explain',
    group: 'screens',
    summary: 'why Signalbox thinks what it thinks of a session: evidence, rules, regions, menus',
    arguments: [{ ...SESSION_ARGUMENT, optional: true }],
    options: [
      { flags: '--at <seconds>', description: 'at this time of the recording instead of now' },
      { flags: '--file <cast>', description: 'a recording instead of a session' },
      { flags: '--screen <file>', description: 'a screen as text instead of a session' },
      { flags: '--agent <name>', description: 'with --file or --screen: the agent' },
      { flags: '--agent-version <version>', description: 'with --file or --screen: its version' },
      { flags: '--size <CxR>', description: 'with --file or --screen: terminal size' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox explain 1', 'why this session reads as it does now'],
      ['signalbox explain 1 --at 42.5', 'and at 42.5 seconds'],
      ['signalbox explain --file session.cast --at 5.3', 'the same for a recording'],
      ['signalbox explain --screen screen.txt --agent claude', 'a screen that was copied into a file'],
    ],
    load: () => import('./commands/explain.js'),
  },
  {
    name: 'packs',
    group: 'screens',
    summary: 'the files that describe agents’ screens; `packs check` runs their fixtures',
    arguments: [
      { name: 'action', description: 'check: run the fixtures', optional: true, completes: ['check'] },
      { name: 'agent', description: 'only this agent’s', optional: true, completes: 'agent' },
    ],
    options: [JSON_OPTION],
    details:
      'Your own packs lie in <config>/packs/<agent>/*.toml, over those that ship with Signalbox (docs/packs.md).',
    examples: [
      ['signalbox packs', 'every pack, its versions and where it lies'],
      ['signalbox packs check claude', 'replay the fixtures of one pack; exit 1 if one fails'],
    ],
    load: () => import('./commands/packs.js'),
  },
  {
    name: 'drift',
    group: 'screens',
    summary: 'agent versions whose screens no longer look as their packs say',
    options: [JSON_OPTION],
    examples: [['signalbox drift', 'by agent version, with the screens that were kept']],
    load: () => import('./commands/drift.js'),
  },
  {
    name: 'hook',
    group: 'setup',
    summary: 'carry an agent’s hook call to the daemon (called by agents, not by people)',
    arguments: [
      { name: 'agent', description: 'the agent that calls', completes: 'agent' },
      { name: 'event', description: 'the hook’s event; without it the payload names it', optional: true },
    ],
    options: [{ flags: '--hold', description: 'wait for a person’s decision and print it in the agent’s own form' }],
    details:
      'Reads the payload (at most 1 MiB of JSON) from standard input. A report takes two seconds at most, prints nothing and succeeds always;\n' +
      'where no daemon answers, --hold prints nothing either, and the agent shows its own dialog.',
    examples: [
      ['signalbox hook claude PostToolUse < payload.json', 'what an agent’s settings call after each tool'],
      ['signalbox hook claude PermissionRequest --hold', 'what they call for a permission'],
    ],
    load: () => import('./commands/hook.js'),
  },
  {
    name: 'doctor',
    group: 'setup',
    summary: 'check this machine: directories, store, daemon, agents; say what to fix',
    options: [{ flags: '--fix', description: 'repair what can be repaired' }, JSON_OPTION],
    examples: [
      ['signalbox doctor', 'what works and what does not'],
      ['signalbox doctor --fix', 'repair modes, move a broken store aside'],
    ],
    load: () => import('./commands/doctor.js'),
  },
  {
    name: 'paths',
    group: 'setup',
    summary: 'where Signalbox keeps its files',
    options: [JSON_OPTION],
    examples: [['signalbox paths', 'config, data, state and runtime directories']],
    load: () => import('./commands/paths.js'),
  },
  {
    name: 'config',
    group: 'setup',
    summary: 'show the settings in force',
    arguments: [
      { name: 'action', description: 'what to do', optional: true, completes: ['show'] },
      { name: 'key', description: 'only this setting or table', optional: true },
    ],
    options: [{ flags: '--origin', description: 'where each value comes from' }, JSON_OPTION],
    examples: [
      ['signalbox config show', 'every setting'],
      ['signalbox config show terminal --origin', 'one table, with file and line of each value'],
    ],
    load: () => import('./commands/config.js'),
  },
  {
    name: 'completion',
    group: 'setup',
    summary: 'print a shell completion script',
    arguments: [{ name: 'shell', description: 'bash, zsh or fish', completes: ['bash', 'zsh', 'fish'] }],
    examples: [
      ['source <(signalbox completion bash)', 'in this shell'],
      ['signalbox completion fish > ~/.config/fish/completions/signalbox.fish', 'for good'],
    ],
    load: () => import('./commands/completion.js'),
  },
]
