import { type CommandSpec, JSON_OPTION } from './command-spec.js'
import { PANE_SETUP_COMMANDS } from './watch-commands.js'

/** What is done once on a machine, or when something is wrong with it. */
export const SETUP_COMMANDS: readonly CommandSpec[] = [
  ...PANE_SETUP_COMMANDS,
  {
    name: 'telegram',
    group: 'setup',
    summary: 'the bot: from its token to a paired phone, who may use it, whether it hears',
    arguments: [
      {
        name: 'action',
        description: 'setup, status, pair, unpair, refused or test; status without one',
        optional: true,
        completes: ['setup', 'status', 'pair', 'unpair', 'refused', 'test'],
      },
      { name: 'id', description: 'with pair and unpair: the number of a Telegram account', optional: true },
    ],
    options: [
      { flags: '--name <name>', description: 'with pair <id>: who that is' },
      { flags: '--role <role>', description: 'with pair: what they may', choices: ['viewer', 'approver', 'owner'] },
      JSON_OPTION,
    ],
    details:
      'setup asks for the token of a bot (BotFather makes one), keeps it in a file that only you can read, and pairs a phone: it shows a\n' +
      'code, you send the code to the bot, and your yes here lets that account in. Nobody else gets an answer (docs/guides/telegram.md).',
    examples: [
      ['signalbox telegram setup', 'from nothing to a paired phone'],
      ['signalbox telegram', 'whether the bot hears, and who may use it'],
      ['signalbox telegram pair --role viewer', 'another phone, which may only look'],
      ['signalbox telegram unpair 4711', 'a phone that was lost'],
      ['signalbox telegram refused', 'who tried what is not theirs to do: strangers, stale buttons, forwarded words'],
    ],
    load: () => import('../commands/telegram.js'),
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
    load: () => import('../commands/hook.js'),
  },
  {
    name: 'doctor',
    group: 'setup',
    summary: 'check this machine: directories, store, daemon, agents; say what to fix',
    options: [
      { flags: '--fix', description: 'repair what can be repaired' },
      { flags: '--security', description: 'look at modes, bind, deciders, hooks, trust and the ledger instead' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox doctor', 'what works and what does not'],
      ['signalbox doctor --security', 'what stands between others and your agents'],
      ['signalbox doctor --fix', 'repair modes, move a broken store aside'],
    ],
    load: () => import('../commands/doctor.js'),
  },
  {
    name: 'paths',
    group: 'setup',
    summary: 'where Signalbox keeps its files',
    options: [JSON_OPTION],
    examples: [['signalbox paths', 'config, data, state and runtime directories']],
    load: () => import('../commands/paths.js'),
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
    load: () => import('../commands/config.js'),
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
    load: () => import('../commands/completion.js'),
  },
]
