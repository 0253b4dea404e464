import { type CommandSpecs, JSON_OPTION } from './command-spec.js'

const SHELL_ARGUMENT = {
  name: 'shell',
  description: 'bash, zsh or fish',
  completes: ['bash', 'zsh', 'fish'],
} as const

/** Set-up and diagnosis. */
export const SETUP_COMMANDS = {
  stats: {
    group: 'screens',
    summary: 'print counters of supervision: reports, statuses, refusals, notifications',
    arguments: [{ name: 'what', description: 'panes', optional: true, completes: ['panes'] }],
    options: [JSON_OPTION],
    examples: [['signalbox stats panes', 'since the daemon was started']],
  },
  switch: {
    group: 'setup',
    summary: 'turn a source of supervision on or off while the daemon runs',
    arguments: [
      {
        name: 'name',
        description: 'heuristics, hooks, osc7501, notify or tmux',
        optional: true,
        completes: ['heuristics', 'hooks', 'osc7501', 'notify', 'tmux'],
      },
      { name: 'to', description: 'on or off', optional: true, completes: ['on', 'off'] },
    ],
    options: [{ flags: '--pane <pane>', description: 'only for this pane: heuristics or notify' }, JSON_OPTION],
    details:
      'Applies at once and until the daemon stops; the settings heuristics.mode, hooks.enabled, osc7501.enabled, ' +
      'notify.enabled and panes.sources set the initial state. Every change is an event. With everything off, the ' +
      'status of a pane is unknown.',
    examples: [
      ['signalbox switch', 'show the switches'],
      ['signalbox switch heuristics off', 'do not guess a status from what programs print'],
      ['signalbox switch notify off --pane main:1.0', 'no notifications for this pane'],
    ],
  },
  'shell-integration': {
    group: 'setup',
    summary: 'print shell code that marks commands and prompts (OSC 133)',
    arguments: [SHELL_ARGUMENT],
    details:
      'The marks report when a command starts and ends, and its exit code. They are invisible and change neither prompt nor ' +
      'history.',
    examples: [
      ['eval "$(signalbox shell-integration bash)"', 'in this shell; permanently in ~/.bashrc'],
      ['signalbox shell-integration fish | source', 'the same for fish'],
    ],
  },
  hooks: {
    group: 'setup',
    summary: 'let agents outside Signalbox report through hooks: install, remove, status',
    arguments: [
      {
        name: 'action',
        description: 'install, remove or status',
        optional: true,
        completes: ['install', 'remove', 'status'],
      },
      { name: 'agent', description: 'only this agent', optional: true, completes: 'agent' },
    ],
    options: [
      { flags: '--yes', description: 'write without asking; required without a terminal' },
      { flags: '--dry-run', description: 'show the change and write nothing' },
      JSON_OPTION,
    ],
    details:
      'Changes the agent’s own settings file after showing the exact change. Only entries of Signalbox are added or ' +
      'removed. Sessions that Signalbox starts have their own hooks and do not need this.',
    examples: [
      ['signalbox hooks', 'which agents report through hooks now'],
      ['signalbox hooks install claude', 'show the change, ask, write it'],
      ['signalbox hooks remove', 'remove all of them'],
    ],
  },
  telegram: {
    group: 'setup',
    summary: 'set up and manage the Telegram bot',
    arguments: [
      {
        name: 'action',
        description: 'setup, status (default), pair, unpair, refused or test',
        optional: true,
        completes: ['setup', 'status', 'pair', 'unpair', 'refused', 'test'],
      },
      { name: 'id', description: 'with pair and unpair: the numeric id of a Telegram account', optional: true },
    ],
    options: [
      { flags: '--name <name>', description: 'with pair <id>: the name of the person' },
      { flags: '--role <role>', description: 'with pair: the role', choices: ['viewer', 'approver', 'owner'] },
      JSON_OPTION,
    ],
    details:
      'setup asks for a bot token (BotFather creates one), stores it in a file that only you can read, and pairs a ' +
      'phone: it shows a code, you send the code to the bot, and you confirm the account here. The bot answers only ' +
      'paired accounts (docs/guides/telegram.md).',
    examples: [
      ['signalbox telegram setup', 'from the token to a paired phone'],
      ['signalbox telegram', 'whether the bot is connected, and who may use it'],
      ['signalbox telegram pair --role viewer', 'another phone, with read-only access'],
      ['signalbox telegram unpair 4711', 'remove a lost phone'],
      ['signalbox telegram refused', 'refused attempts: unpaired accounts, stale buttons, forwarded messages'],
    ],
  },
  hook: {
    group: 'setup',
    summary: 'forward an agent’s hook call to the daemon (called by agents, not by people)',
    arguments: [
      { name: 'agent', description: 'the agent that calls', completes: 'agent' },
      { name: 'event', description: 'the hook’s event; default: as named in the payload', optional: true },
    ],
    options: [{ flags: '--hold', description: 'wait for a person’s decision and print it in the agent’s format' }],
    details:
      'Reads the payload (JSON, at most 1 MiB) from standard input. A report takes at most two seconds, prints nothing and ' +
      'always succeeds. If no daemon answers, --hold prints nothing, and the agent shows its own dialog.',
    examples: [
      ['signalbox hook claude PostToolUse < payload.json', 'what an agent’s settings call after each tool'],
      ['signalbox hook claude PermissionRequest --hold', 'what they call for a permission'],
    ],
  },
  doctor: {
    group: 'setup',
    daily: true,
    summary: 'check directories, store, daemon, workers and agents; say what to fix',
    options: [
      { flags: '--fix', description: 'repair what can be repaired' },
      { flags: '--security', description: 'check file modes, network, decisions, hooks, trust and the ledger instead' },
      { flags: '--secrets', description: 'search the log and the recordings for secrets instead' },
      { flags: '--sources', description: 'show what each agent reports, and how, as a matrix instead' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox doctor', 'what works and what does not'],
      ['signalbox doctor --security', 'how data and decisions are protected'],
      ['signalbox doctor --secrets', 'where passwords and tokens were recorded'],
      ['signalbox doctor --sources', 'hooks, transcript, titles … of each agent'],
      ['signalbox doctor --fix', 'repair file modes, move a damaged store aside'],
    ],
  },
  sandbox: {
    group: 'setup',
    summary: 'show what an agent sees and reaches in its sandbox, and why',
    arguments: [
      { name: 'action', description: 'explain' },
      { name: 'agent', description: 'the agent (default: claude)', optional: true, completes: 'agent' },
    ],
    options: [{ flags: '--cwd <dir>', description: 'the project (default: here)' }, JSON_OPTION],
    examples: [['signalbox sandbox explain codex', 'paths, network, hosts and variables']],
  },
  paths: {
    group: 'setup',
    summary: 'print where Signalbox stores its files',
    options: [JSON_OPTION],
    examples: [['signalbox paths', 'config, data, state and runtime directories']],
  },
  config: {
    group: 'setup',
    summary: 'show, read and change settings',
    arguments: [
      {
        name: 'action',
        description: 'show (default), get, set, or edit the file in your editor',
        optional: true,
        completes: ['show', 'get', 'set', 'edit'],
      },
      { name: 'key', description: 'the setting; with show also a table of settings', optional: true },
      { name: 'value', description: 'with set: the new value; none restores the default', optional: true },
    ],
    options: [{ flags: '--origin', description: 'with show: where each value comes from' }, JSON_OPTION],
    details:
      'set changes one line of your settings file and keeps its comments; a value that is not allowed changes nothing. ' +
      'A running daemon applies budgets and most of notify.* at once, everything else after signalbox serve --restart.',
    examples: [
      ['signalbox config show', 'every setting'],
      ['signalbox config set terminal.size 140x50', 'change one'],
      ['signalbox config get server.port', 'its value, for a script'],
      ['signalbox config show terminal --origin', 'one table, with file and line of each value'],
    ],
  },
  webhooks: {
    group: 'setup',
    summary: 'list the webhooks that receive events; send events again',
    arguments: [
      { name: 'action', description: 'replay: send events again', optional: true, completes: ['replay'] },
      { name: 'name', description: 'the webhook, as in [webhooks.<name>] of the settings', optional: true },
    ],
    options: [
      {
        flags: '--after <position>',
        description: 'with replay: all events after this position (default: dead letters)',
      },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox webhooks', 'what each received, and its dead letters'],
      ['signalbox webhooks replay ci', 'its dead letters again'],
      ['signalbox webhooks replay ci --after 0', 'everything from the beginning'],
    ],
  },
  store: {
    group: 'setup',
    summary: 'show where the events are; move them to a PostgreSQL database',
    arguments: [{ name: 'action', description: 'move: to the database of --to', optional: true, completes: ['move'] }],
    options: [
      { flags: '--to <url>', description: 'with move: the database, as postgres://user@host:5432/database' },
      JSON_OPTION,
    ],
    details:
      'A move copies every event with its position, checks the chain of the ledger on both sides and keeps the id of ' +
      'the store. The file stays as it is, marked as moved. Stop the daemon first.',
    examples: [
      ['signalbox store', 'the file or the database, and its number of events'],
      ['signalbox store move --to postgres://signalbox@db.example/signalbox', 'then set store.url to the same URL'],
    ],
  },
  completion: {
    group: 'setup',
    summary: 'print a shell completion script',
    arguments: [SHELL_ARGUMENT],
    examples: [
      ['source <(signalbox completion bash)', 'in this shell'],
      ['signalbox completion fish > ~/.config/fish/completions/signalbox.fish', 'permanently'],
    ],
  },
  complete: {
    group: 'setup',
    summary: 'print what the last word of a command line can be (called by completion scripts)',
    rest: '-- words…',
    examples: [['signalbox complete -- stop ""', 'the running sessions']],
    hidden: true,
  },
  help: {
    group: 'setup',
    summary: 'print the commands, or the options of one',
    arguments: [{ name: 'command', description: 'the command', optional: true, completes: 'command' }],
    options: [{ flags: '-a, --all', description: 'all commands, not only the daily ones' }],
    examples: [
      ['signalbox help start', 'the options of start'],
      ['signalbox help --all', 'all commands'],
    ],
  },
  acp: {
    group: 'setup',
    summary: 'run as the agent of an editor, over the Agent Client Protocol',
    arguments: [{ name: 'agent', description: 'the agent that sessions start, such as claude', completes: 'agent' }],
    details:
      'For the settings of Zed, JetBrains or Neovim. A session of the editor is a session of Signalbox, in a terminal that every ' +
      'other surface also shows. Its requests are in the ledger: the editor can allow those of low risk and deny all.',
    examples: [['signalbox acp claude', 'the command of a custom agent']],
  },
  mcp: {
    group: 'setup',
    summary: 'serve the Model Context Protocol on standard input and output',
    options: [{ flags: '--project <directory>', description: 'where sessions and runs start (default: here)' }],
    details:
      'For the settings of an MCP client: tools to list, start, prompt, read and interrupt sessions and runs. Requests can be ' +
      'read, not decided, unless mcp.decide_as names you. Over HTTP: /api/v1/mcp with the token of the API.',
    examples: [
      ['claude mcp add signalbox -- signalbox mcp', 'for Claude Code'],
      ['codex mcp add signalbox -- signalbox mcp', 'for Codex'],
    ],
  },
} as const satisfies CommandSpecs
