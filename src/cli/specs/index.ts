import { APPROVAL_COMMANDS } from './approval-commands.js'
import { type CommandSpec, JSON_OPTION } from './command-spec.js'
import { RUN_COMMANDS } from './run-commands.js'
import { SCREEN_COMMANDS } from './screen-commands.js'
import { SESSION_COMMANDS } from './session-commands.js'
import { SETUP_COMMANDS } from './setup-commands.js'
import { WATCH_COMMANDS } from './watch-commands.js'

/** Every command of the command line, in the order of `--help`. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'status',
    group: 'everyday',
    summary: 'what needs you now: approvals, sessions (what `signalbox` alone prints)',
    options: [JSON_OPTION],
    examples: [['signalbox', 'what waits for you, and what is running']],
    load: () => import('../commands/status.js'),
  },
  {
    name: 'demo',
    group: 'everyday',
    summary: 'the whole product on a scripted agent: no key, no network',
    options: [
      { flags: '--terminal', description: 'one agent, here in the terminal, instead of the dashboard' },
      {
        flags: '--yes',
        description: 'in the terminal, and every request is answered with allow once; needed where there is none',
      },
      { flags: '--telegram', description: 'the dashboard, and a chat with the bot on a page of its own; no phone' },
      { flags: '--dashboard', description: 'the dashboard also where there is no terminal; ends with the command' },
      { flags: '--fresh', description: 'a new system, also where the last one was cut off and could go on' },
      { flags: '--speed <factor>', description: 'how fast the agent works; 1 is life-like' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox demo', 'the dashboard on a living system: prints its link'],
      ['signalbox demo --terminal', 'watch one agent fix a bug, and answer its one request'],
      ['signalbox demo --telegram', 'the same system, and its bot in a chat in the browser'],
      ['signalbox demo --yes --speed 5', 'without a person, fast'],
    ],
    load: () => import('../commands/demo.js'),
  },
  {
    name: 'serve',
    group: 'everyday',
    summary: 'the daemon and its dashboard; starts by itself when a command needs it',
    options: [
      { flags: '--port <n>', description: 'TCP port of the dashboard (0: a free one; default: server.port)' },
      { flags: '--read-only', description: 'the dashboard shows everything and changes nothing' },
      { flags: '--link', description: 'print a new login link of the running daemon' },
      { flags: '--role <role>', description: 'with --link: what it lets in', choices: ['viewer', 'approver', 'owner'] },
      { flags: '--as <name>', description: 'with --link: whom it lets in' },
      { flags: '--rotate-token', description: 'make a new token for scripts; the one before is worth nothing then' },
      {
        flags: '--lockdown',
        description: 'end grants, logins and the token; take nothing but denials until the next start',
      },
      { flags: '--background', description: 'start it detached and return when it answers' },
      { flags: '--stop', description: 'stop the running daemon; sessions live on in the keeper' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox serve', 'run it in this terminal, and print the link of the dashboard'],
      ['signalbox serve --link', 'a new link of the one that runs'],
      ['signalbox serve --stop', 'stop it; the agents go on'],
    ],
    load: () => import('../commands/serve.js'),
  },
  ...WATCH_COMMANDS,
  ...SESSION_COMMANDS,
  ...APPROVAL_COMMANDS,
  ...RUN_COMMANDS,
  ...SCREEN_COMMANDS,
  ...SETUP_COMMANDS,
]
