import { boolean, duration, integer, oneOf, someOf, string, strings } from './setting.js'

const SURFACES = ['cli', 'web', 'telegram', 'api'] as const
const CHANNELS = ['telegram', 'browser', 'terminal'] as const

/** Approvals, notifications, the server, Telegram, and the environment of processes. */
export const peopleSettings = {
  sandbox: {
    use: oneOf(
      ['off', 'auto'],
      'off',
      'Start agents in a sandbox unless the command line says otherwise; auto uses bubblewrap on Linux and sandbox-exec on macOS.',
      { project: 'later' },
    ),
    network: oneOf(
      ['on', 'filtered', 'off'],
      'filtered',
      'The network of a sandbox: everything, only hosts that the agent needs or that you allowed, or nothing.',
      { project: 'later' },
    ),
    hosts: strings([], 'Hosts that programs in a sandbox may reach; a leading dot includes subdomains.'),
    read: strings([], 'Further files and directories that are visible in a sandbox; ~ is your home directory.'),
    write: strings([], 'Further directories that can be written in a sandbox, such as caches.'),
    env: strings([], 'Names of further environment variables that are passed into a sandbox.'),
  },
  approvals: {
    decide_from: someOf(SURFACES, SURFACES, 'Where decisions may come from; api means scripts with the API token.', {
      project: 'subset',
    }),
    step_up: oneOf(
      ['off', 'auto', 'on'],
      'auto',
      'Require a second confirmation for high-risk requests; auto requires it when server.public is on.',
      { project: 'later' },
    ),
    unproven: oneOf(
      ['ask', 'allow'],
      'ask',
      'Whether a process may decide that tmux, at, cron or a service manager started, which an agent could have asked to: ask requires a code from your terminal (tmux), or the passphrase, once an agent has run outside a sandbox.',
    ),
    hold: oneOf(
      ['adapter', 'always', 'never', 'unattended'],
      'adapter',
      'Which permission hooks may wait for a decision: those of agents whose own dialog stays usable meanwhile, all, none, or all while no terminal is attached.',
    ),
    grant_for: duration(1800, 'How long a grant lasts unless the person chooses otherwise.', {
      min: 1,
      max: 28_800,
      project: 'lower',
    }),
    grant_max: duration(28_800, 'The longest time a grant may last.', { min: 1, max: 28_800, project: 'lower' }),
    grant_uses: integer(20, 'How often a grant may be used unless the person chooses otherwise.', {
      min: 1,
      max: 200,
      project: 'lower',
    }),
    expire_after: duration(
      null,
      'Expire a permission request or a question that stays unanswered this long; none waits forever.',
      { min: 10, project: 'lower' },
    ),
    keep_days: duration(
      365,
      'How long closed requests are listed and reported. Pending requests are always listed, and the event log keeps all of them.',
      { min: 1, max: 36_500 },
    ),
    max_pending: integer(
      500,
      'Pending requests that Signalbox accepts; further requests stay in the agent’s own dialog.',
      { min: 1, max: 10_000 },
    ),
  },

  notify: {
    enabled: boolean(true, 'Send notifications.'),
    needs_you: boolean(true, 'Notify when an agent needs a decision or an answer.'),
    done: boolean(true, 'Notify when a session or a run is done.', { project: 'off' }),
    failed: boolean(true, 'Notify when a session or a run fails.'),
    channels: someOf(CHANNELS, CHANNELS, 'Channels in the order in which they are tried.'),
    grace_s: duration(20, 'While you are active on one channel, wait this long before notifying you on another.', {
      max: 3600,
    }),
    next_s: duration(180, 'Escalate to the next channel if a notification stays unread this long.', { max: 86_400 }),
    all_s: duration(600, 'Notify every approver on every channel if a request stays undecided this long.', {
      max: 86_400,
    }),
    remind_s: duration(1800, 'Send one reminder if a request stays undecided this long.', { max: 86_400 }),
    quiet: string(null, 'Quiet hours: notifications are held back until they end.', {
      pattern: /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/,
      form: 'two times of day such as "22:00-07:00"',
    }),
    terminal: someOf(
      ['bell', 'osc9', 'osc777'],
      ['bell', 'osc9'],
      'How a terminal that runs `signalbox watch` notifies you.',
    ),
    desktop: boolean(true, 'Use the desktop’s notification service if there is one.'),
    command: strings([], 'A program, with its arguments, that receives every notification as JSON.'),
    webhooks: strings(
      [],
      'URLs that receive notifications: of ntfy, Slack, Discord, or a program of yours (JSON). `ntfy+https://…` names the service where the host does not.',
      { isSecret: true, pattern: /^((ntfy|slack|discord|webhook)\+)?https?:\/\/\S+$/, form: 'http(s) addresses' },
    ),
    stuck_s: duration(600, 'Notify when a pane has been stuck for this long.', { min: 1, max: 86_400 }),
    done_delay_s: duration(5, 'Delay a “done” notification by this, and drop it if new work starts meanwhile.', {
      max: 600,
    }),
    dedupe_s: duration(2, 'Send equal notifications within this time only once.', { max: 600 }),
    pane_gap_s: duration(30, 'Minimum time between two “done” notifications of one pane.', { max: 86_400 }),
  },

  webhooks: {
    '*': {
      url: string(null, 'Address that receives events of the log as JSON, one request each.', {
        isSecret: true,
        pattern: /^https?:\/\/\S+$/,
        form: 'an http(s) address',
      }),
      events: strings(
        ['approval.*', 'session.started', 'session.ended', 'session.noticed', 'turn.closed', 'run.*'],
        'Types of events that it receives; * stands for any part, !… leaves types out.',
        { pattern: /^!?[a-z*][a-z.*-]*$/, form: 'types such as approval.* or !run.created' },
      ),
      secret_file: string(null, 'File (mode 0600) with the secret that signs the requests; none sends them unsigned.'),
    },
  },

  secrets: {
    tokens: strings(
      [],
      'Tokens of your own services that are redacted like known ones, each as "name prefix [length]": the word of the marker, how the token begins, and how many characters follow at least (16).',
    ),
  },

  mcp: {
    decide_as: string(
      null,
      'Id of the person whose MCP clients may allow low-risk requests and deny any; none lets them only read. The ledger names the client.',
    ),
  },

  server: {
    port: integer(0, 'TCP port of the dashboard; 0 chooses a free port once and keeps it.', { max: 65_535 }),
    bind: string('127.0.0.1', 'Address that the dashboard listens on.'),
    public: boolean(
      false,
      'Allow an address other than loopback. This also requires TLS or a reverse proxy, and a passphrase.',
    ),
    tls_cert: string(null, 'File with the TLS certificate chain.'),
    tls_key: string(null, 'File with the TLS private key.'),
    behind_proxy: boolean(false, 'A reverse proxy terminates TLS in front of the dashboard.'),
    proxies: strings([], 'Addresses of that proxy: forwarded headers are accepted only from them.'),
    hosts: strings([], 'Further values of the Host header that are accepted.'),
    worker_address: string(
      null,
      'Where workers reach this server if that is not the address it listens on, as https://host:4100: in a container, or behind a forwarded port.',
      { pattern: /^https?:\/\/[^/\s]+$/, form: 'an http(s) address without a path' },
    ),
    passphrase_file: string(null, 'File with the passphrase for logins from other machines.'),
    requests_per_s: integer(50, 'Requests per second and credential over TCP and Telegram.', { min: 1, max: 10_000 }),
    requests_burst: integer(100, 'Requests that one credential may send at once.', { min: 1, max: 10_000 }),
    logins_per_15_min: integer(5, 'Failed logins after which logins are refused for 15 minutes.', {
      min: 1,
      max: 1000,
    }),
    decisions_per_min: integer(30, 'Decisions per minute and person.', { min: 1, max: 10_000 }),
    sessions_per_min: integer(10, 'Sessions that may be started per minute.', { min: 1, max: 1000 }),
    max_connections: integer(200, 'Open HTTP connections.', { min: 4, max: 10_000 }),
    max_streams: integer(32, 'Open event streams.', { min: 1, max: 1000 }),
    max_terminals: integer(64, 'Terminals connected over WebSocket.', { min: 1, max: 1000 }),
    max_viewers: integer(8, 'Terminals connected to one session.', { min: 1, max: 100 }),
  },

  telegram: {
    enabled: boolean(true, 'Run the Telegram bot if it has a token.'),
    token: string(null, 'The bot token. A settings file names telegram.token_file instead.', {
      isSecret: true,
      isEnvironmentOnly: true,
    }),
    token_file: string(null, 'File (mode 0600) with the bot token.'),
    api_root: string('https://api.telegram.org', 'Address of the Bot API server.', {
      pattern: /^https?:\/\/\S+[^/\s]$/,
      form: 'an http(s) address without a slash at its end',
    }),
    groups: strings([], 'Ids of the groups that the bot answers in.'),
    group_detail: boolean(false, 'Show paths and diffs in groups.', { project: 'off' }),
    stream: oneOf(['auto', 'off'], 'auto', 'Update an answer while the agent writes it.', { project: 'later' }),
    topics: oneOf(['auto', 'off'], 'auto', 'Open a topic for each session and run, where the chat supports topics.'),
    announce: boolean(false, 'Send a message when the bot starts.'),
  },

  projects: {
    roots: strings([], 'Directories whose repositories are offered as projects.'),
  },

  env: {
    pass: strings([], 'Further environment variables that the daemon passes to processes it starts.', {
      pattern: /^[A-Za-z_][A-Za-z0-9_]*\*?$/,
      form: 'names of variables, perhaps with * at the end',
    }),
  },
}
