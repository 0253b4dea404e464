import { type CommandSpec, JSON_OPTION } from './command-spec.js'

/** Looking at all panes at once. */
export const WATCH_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'watch',
    group: 'everyday',
    summary: 'one live screen of all panes, yours and tmux’s: who needs you, who works, who is done, and why',
    options: [
      { flags: '--tmux', description: 'only panes in tmux; needs no set-up' },
      { flags: '--sessions', description: 'only sessions of Signalbox; tmux is left alone' },
      { flags: '--filter <words>', description: 'only panes in which each of these words is found' },
      {
        flags: '--plain',
        description: 'a line for each change, for pipes and screen readers (default without a terminal)',
      },
      { flags: '--raw', description: 'where the panes are and what runs in them, without any status; as lines' },
      { flags: '--once', description: 'print the panes as they are now and end' },
      JSON_OPTION,
    ],
    details:
      'Keys: j k move, enter goes there (attaches, or selects the pane in tmux), space marks as seen, x clears, w says why, / filters,\n' +
      'h switches the heuristics of a pane, m its calls, a shows or hides idle panes, ? helps, q leaves. tmux is joined in control mode when the first\n' +
      'watch asks for it: a client per tmux session that has no size and types nothing.',
    examples: [
      ['signalbox watch', 'everything, sorted by need'],
      ['signalbox watch --tmux', 'what runs in tmux, on a machine that never heard of Signalbox'],
      ['signalbox watch --json | jq .pane.status', 'every change, for a program'],
      ['signalbox watch --once --plain', 'the list, once'],
    ],
    load: () => import('../commands/watch.js'),
  },
]

/** Making foreign panes tell more. */
export const PANE_SETUP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'stats',
    group: 'screens',
    summary: 'counters of supervision: signals, statuses, refusals, drops, calls, with their reasons',
    arguments: [{ name: 'what', description: 'panes', optional: true, completes: ['panes'] }],
    options: [JSON_OPTION],
    examples: [['signalbox stats panes', 'since the daemon was started']],
    load: () => import('../commands/stats.js'),
  },
  {
    name: 'switch',
    group: 'setup',
    summary: 'turn a source of supervision off or on while the daemon runs',
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
      'Takes effect at once and until the daemon ends; the settings of the same meaning (heuristics.mode, hooks.enabled, osc7501.enabled,\n' +
      'notify.enabled, panes.sources) say where it starts. Every turn is an event. With everything off a pane reads unknown.',
    examples: [
      ['signalbox switch', 'what is on'],
      ['signalbox switch heuristics off', 'nothing is guessed from what programs print'],
      ['signalbox switch notify off --pane main:1.0', 'nobody is called for this pane'],
    ],
    load: () => import('../commands/switch.js'),
  },
  {
    name: 'shell-integration',
    group: 'setup',
    summary: 'print the lines that make a shell mark its commands (OSC 133)',
    arguments: [{ name: 'shell', description: 'bash, zsh or fish', completes: ['bash', 'zsh', 'fish'] }],
    details:
      'The marks say when a command starts, when it ends and how. They are invisible, and change neither prompt nor history.',
    examples: [
      ['eval "$(signalbox shell-integration bash)"', 'in this shell; for good in ~/.bashrc'],
      ['signalbox shell-integration fish | source', 'the same for fish'],
    ],
    load: () => import('../commands/shell-integration.js'),
  },
  {
    name: 'hooks',
    group: 'setup',
    summary: 'let agents outside of Signalbox report by their hooks: install, remove, status',
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
      { flags: '--yes', description: 'write without asking; needed where there is no terminal' },
      { flags: '--dry-run', description: 'show the change and write nothing' },
      JSON_OPTION,
    ],
    details:
      'Changes the agent’s own settings file, after showing the exact change. Only entries of Signalbox are added or removed; everything else\n' +
      'in the file stays as it is. Sessions that Signalbox starts have hooks of their own and need none of this.',
    examples: [
      ['signalbox hooks', 'which agents report by hooks now'],
      ['signalbox hooks install claude', 'show the change, ask, write it'],
      ['signalbox hooks remove', 'take all of it back'],
    ],
    load: () => import('../commands/hooks.js'),
  },
]
