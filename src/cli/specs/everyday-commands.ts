import { type CommandSpecs, JSON_OPTION } from './command-spec.js'

/** What people type every day. */
export const EVERYDAY_COMMANDS = {
  status: {
    group: 'everyday',
    summary: 'print open requests and running sessions, once',
    options: [JSON_OPTION],
    details: 'Without a terminal, `signalbox` alone does the same.',
    examples: [['signalbox status', 'what needs you, and what is running']],
  },
  demo: {
    group: 'everyday',
    daily: true,
    summary: 'try everything with scripted agents: no key, no network',
    options: [
      { flags: '--terminal', description: 'one agent in this terminal instead of the dashboard' },
      { flags: '--yes', description: 'in this terminal, and approve everything automatically (for CI)' },
      { flags: '--telegram', description: 'the dashboard, and the bot in a simulated chat; no phone needed' },
      { flags: '--dashboard', description: 'the dashboard even without a terminal; ends with the command' },
      {
        flags: '--cluster',
        description: 'PostgreSQL, three servers and two workers on this machine, and how to kill each of them',
      },
      { flags: '--engine <kind>', description: 'with --cluster: the engine of runs', choices: ['store', 'restate'] },
      { flags: '--workers <n>', description: 'with --cluster: how many workers (default: 2)' },
      { flags: '--empty', description: 'with --cluster: without agents and runs' },
      { flags: '--fresh', description: 'start over instead of resuming an interrupted demo' },
      { flags: '--speed <factor>', description: 'how fast the agents work; 1 is realistic' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox demo', 'the dashboard with agents at work; prints its link'],
      ['signalbox demo --terminal', 'watch one agent fix a bug, and answer its request'],
      ['signalbox demo --telegram', 'also the Telegram bot, in a chat in the browser'],
      ['signalbox demo --cluster', 'a whole cluster on this machine'],
      ['signalbox demo --yes --speed 5', 'unattended and fast'],
    ],
  },
  open: {
    group: 'everyday',
    daily: true,
    summary: 'open the dashboard in your browser',
    options: [
      { flags: '--print', description: 'print the link instead' },
      { flags: '--qr', description: 'print the link as a QR code, to sign in a phone' },
      JSON_OPTION,
    ],
    details: 'Without a display it prints the link, which works once, for 5 minutes.',
    examples: [
      ['signalbox open', 'the dashboard of this home directory'],
      ['signalbox open --qr', 'a code that a phone scans'],
    ],
  },
  serve: {
    group: 'everyday',
    summary: 'run the daemon and its dashboard; commands start it when needed',
    options: [
      { flags: '--port <n>', description: 'TCP port of the dashboard (0: a free one; default: server.port)' },
      {
        flags: '--store <url>',
        description: 'keep the events in this PostgreSQL database (default: store.url), without a password in the URL',
      },
      {
        flags: '--engine <kind>',
        description:
          'the engine of runs: embedded, store, restate, or restate+http://host:8080 for one that you operate (default: engine.kind)',
      },
      { flags: '--node <name>', description: 'this machine’s node of Restate (default: engine.node)' },
      { flags: '--nodes <list>', description: 'all nodes of Restate, as a:5122,b:5122,c:5122 (default: engine.nodes)' },
      { flags: '--read-only', description: 'the dashboard shows everything and changes nothing' },
      { flags: '--link', description: 'print a new login link for the running daemon' },
      { flags: '--role <role>', description: 'with --link: the role', choices: ['viewer', 'approver', 'owner'] },
      { flags: '--as <name>', description: 'with --link: the name of the person' },
      { flags: '--rotate-token', description: 'create a new token for scripts and invalidate the old one' },
      {
        flags: '--lockdown',
        description: 'revoke standing approvals, logins and the token; accept only denials until the next start',
      },
      { flags: '--background', description: 'start it in the background and return when it answers' },
      { flags: '--stop', description: 'stop the running daemon; agents keep running' },
      { flags: '--restart', description: 'stop it and start it in the background; agents keep running' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox serve', 'run it in this terminal, and print the link to the dashboard'],
      ['signalbox serve --link', 'a new login link for the running daemon'],
      ['signalbox serve --stop', 'stop it; agents keep running'],
    ],
  },
  watch: {
    group: 'everyday',
    summary: 'the cockpit with options; as lines, JSON, or for a screen reader',
    options: [
      { flags: '--tmux', description: 'only tmux panes; needs no set-up' },
      { flags: '--sessions', description: 'only sessions of Signalbox' },
      { flags: '--filter <words>', description: 'only panes that contain each of these words' },
      { flags: '--screen-reader', description: 'lines and typed commands instead of a drawn screen' },
      {
        flags: '--plain',
        description: 'one line per change, for pipes and screen readers (default without a terminal)',
      },
      { flags: '--raw', description: 'where the panes are and what runs in them, without status; as lines' },
      { flags: '--once', description: 'print the current list and exit' },
      JSON_OPTION,
    ],
    details:
      'Keys: j k move, a allows, d denies, r answers, enter attaches (or selects the pane in tmux), p writes a prompt, ' +
      'n starts a session, x stops one, / filters, z zooms, ? shows all keys, q quits. The mouse selects and scrolls. ' +
      'With --screen-reader (or terminal.screen_reader) nothing is drawn: you type commands such as approve or send. ' +
      'The daemon joins tmux in control mode (panes.sources): one client per tmux session, without size or input.',
    examples: [
      ['signalbox watch', 'everything; panes that need you come first'],
      ['signalbox watch --tmux', 'what runs in tmux'],
      ['signalbox watch --json | jq .pane.status', 'every change, for a program'],
      ['signalbox watch --once --plain', 'the list, once'],
    ],
  },
} as const satisfies CommandSpecs
