import { type CommandSpec, JSON_OPTION } from './command-spec.js'

export const SESSION_ARGUMENT = {
  name: 'id',
  description: 'the session: its id, a unique beginning of it, or its number',
  completes: 'session',
} as const

/** Left out, it is the one that `signalbox use` names. */
const ACTIVE_ARGUMENT = {
  ...SESSION_ARGUMENT,
  description: `${SESSION_ARGUMENT.description}; left out: the active one (signalbox use)`,
  optional: true,
} as const

/** Starting agents, talking to them, looking at them, ending them. */
export const SESSION_COMMANDS: readonly CommandSpec[] = [
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
    load: () => import('../commands/start.js'),
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
    load: () => import('../commands/sessions.js'),
  },
  {
    name: 'use',
    group: 'sessions',
    summary: 'choose the session that send, read and interrupt mean without an id',
    arguments: [{ ...SESSION_ARGUMENT, optional: true }],
    options: [JSON_OPTION],
    details:
      'Without an id it says which one that is. A session that you start becomes it; when it ends, the one you used before does.',
    examples: [
      ['signalbox use 2', 'from now on the second'],
      ['signalbox use', 'which one is it?'],
    ],
    load: () => import('../commands/use.js'),
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
    load: () => import('../commands/attach.js'),
  },
  {
    name: 'send',
    group: 'sessions',
    summary: 'send a prompt to a session',
    arguments: [
      ACTIVE_ARGUMENT,
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
      'One word alone is the prompt, and goes to the active session: the one you chose with `signalbox use`, or began since.\n' +
      'While the agent works, a prompt goes into the agent’s own queue where it has one, and is held here otherwise.\n' +
      'With --wait the exit code is 0 when the agent is done, 3 when a person denied something, 4 when it needs one, 130 when it was\n' +
      'interrupted, 1 when it failed or the prompt was not delivered.',
    examples: [
      ['signalbox send "run the tests"', 'deliver it to the active session'],
      ['signalbox send 1 "run the tests"', 'deliver it to the first'],
      ['signalbox send 1 "run the tests" --wait', 'and read the answer here'],
      ['signalbox send 1 --file task.md --queue', 'a long one, when the agent has finished'],
      ['signalbox send 1 "/etc/hosts looks wrong" --as text', 'a text that begins like a command'],
    ],
    load: () => import('../commands/send.js'),
  },
  {
    name: 'read',
    group: 'sessions',
    summary: 'what was said in a session, or by an agent in a pane of tmux that somebody else started',
    arguments: [ACTIVE_ARGUMENT],
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
      ['signalbox read main:1.0', 'the agent in that pane of tmux, as far as tmux has kept it'],
    ],
    load: () => import('../commands/read.js'),
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
    load: () => import('../commands/wait.js'),
  },
  {
    name: 'stop',
    group: 'sessions',
    summary: 'end a session: interrupt, exit keys, then signals to its process group',
    arguments: [SESSION_ARGUMENT],
    options: [JSON_OPTION],
    examples: [['signalbox stop 1', 'end it politely, then firmly']],
    load: () => import('../commands/stop.js'),
  },
  {
    name: 'interrupt',
    group: 'sessions',
    summary: 'stop what an agent works on; the session stays',
    arguments: [ACTIVE_ARGUMENT],
    options: [JSON_OPTION],
    details:
      'Presses the agent’s own keys and looks for five seconds whether it stopped. An open request is denied, not interrupted.',
    examples: [['signalbox interrupt 1', 'stop this turn']],
    load: () => import('../commands/interrupt.js'),
  },
  {
    name: 'resume',
    group: 'sessions',
    summary: 'go on with a session that ended, a run that stands still, or an exported checkpoint',
    arguments: [
      {
        name: 'id',
        description:
          'a session’s id or number, a run’s id (run_…), latest for the newest run here, or a checkpoint file',
        optional: true,
        completes: 'session',
      },
    ],
    options: [
      { flags: '--attach', description: 'with a session: attach to it at once' },
      { flags: '--graph <file>', description: 'with a graph’s run or a checkpoint: go on with this DOT file' },
      { flags: '--agent <name>', description: 'with a checkpoint: agent of nodes that name none' },
      { flags: '--max-iterations <n>', description: 'with a oneshot: how many iterations it may have' },
      { flags: '--trust <hash>', description: 'with --graph: let the files of this hash run' },
      { flags: '--checkpoint-dir <dir>', description: 'with a graph’s run: write checkpoint_<ms>.json files there' },
      { flags: '--no-ask', description: 'with a graph’s run: ask no gate at this terminal' },
      { flags: '--queued', description: 'every queued run of a pipeline, in the order they were made' },
      JSON_OPTION,
    ],
    details:
      'A session needs the agent’s own id of the conversation, which hooks, the transcript or the agent’s last words told. A run goes on where it stood: what is finished is not done again.',
    examples: [
      ['signalbox resume 1', 'the same agent, directory and arguments'],
      ['signalbox resume latest', 'the newest run of this directory'],
      ['signalbox resume checkpoint.json --graph flow.dot', 'a run of another machine'],
    ],
    load: () => import('../commands/resume.js'),
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
    load: () => import('../commands/files.js'),
  },
]
