import { boolean, duration, integer, oneOf, someOf, string, strings } from './setting.js'

const SURFACES = ['cli', 'web', 'telegram', 'api'] as const
const CHANNELS = ['telegram', 'browser', 'terminal'] as const

/** Decisions, notifications, the server, Telegram, and what reaches a process. */
export const peopleSettings = {
  'approvals.decide_from': someOf(SURFACES, SURFACES, 'Surfaces that may decide; api is a script with the token.', {
    project: 'subset',
  }),
  'approvals.step_up': oneOf(
    ['off', 'auto', 'on'],
    'auto',
    'A second confirmation for high risk; auto is on beyond loopback.',
    {
      project: 'later',
    },
  ),
  'approvals.hold': oneOf(
    ['adapter', 'always', 'never', 'unattended'],
    'adapter',
    'Which hooks may hold a request open although they block the terminal.',
  ),
  'approvals.grant_for': duration(1800, 'How long a grant lasts unless said otherwise.', {
    min: 1,
    max: 28_800,
    project: 'lower',
  }),
  'approvals.grant_max': duration(28_800, 'The longest grant.', { min: 1, max: 28_800, project: 'lower' }),
  'approvals.grant_uses': integer(20, 'Uses of a grant unless said otherwise.', { min: 1, max: 200, project: 'lower' }),
  'approvals.expire_after': duration(
    null,
    'An unanswered permission or question ends as expired after this; none waits.',
    {
      min: 10,
      project: 'lower',
    },
  ),
  'approvals.keep_days': duration(
    365,
    'Closed requests are listed and reported for so long; pending ones always, and the log keeps them all.',
    {
      min: 1,
      max: 36_500,
    },
  ),
  'approvals.max_pending': integer(500, 'Beyond so many, requests stay in the agent\u2019s own dialog.', {
    min: 1,
    max: 10_000,
  }),

  'notify.enabled': boolean(true, 'Whether anything is notified at all.'),
  'notify.needs_you': boolean(true, 'Notify when a person is asked.'),
  'notify.done': boolean(true, 'Notify when a run is done.', { project: 'off' }),
  'notify.failed': boolean(true, 'Notify when a run has failed.'),
  'notify.channels': someOf(CHANNELS, CHANNELS, 'Order in which a person is reached.'),
  'notify.grace_s': duration(20, 'Nothing is sent elsewhere for so long while a person is present somewhere.', {
    max: 3600,
  }),
  'notify.next_s': duration(180, 'Not seen for so long: the next channel.', { max: 86_400 }),
  'notify.all_s': duration(600, 'Not decided for so long: every approver on every channel.', { max: 86_400 }),
  'notify.remind_s': duration(1800, 'The one reminder.', { max: 86_400 }),
  'notify.quiet': string(null, 'Quiet hours, in which notifications are held back.', {
    pattern: /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/,
    form: 'two times of day such as "22:00-07:00"',
  }),
  'notify.terminal': someOf(
    ['bell', 'osc9', 'osc777'],
    ['bell', 'osc9'],
    'How a terminal with `signalbox watch` in it calls you.',
  ),
  'notify.desktop': boolean(true, 'Whether the desktop’s own notifier is used where there is one.'),
  'notify.command': strings([], 'A program of yours, with its arguments, that is told of every call as JSON.'),
  'notify.stuck_s': duration(600, 'A pane stuck for so long needs a person.', { min: 1, max: 86_400 }),
  'notify.done_delay_s': duration(5, 'Done is held back for so long and dropped if a new run starts.', { max: 600 }),
  'notify.dedupe_s': duration(2, 'The same text from several authorities within this time is one.', { max: 600 }),
  'notify.pane_gap_s': duration(30, 'At most one done per pane in this time.', { max: 86_400 }),

  'server.port': integer(0, 'TCP port of the dashboard; 0 chooses a free one.', { max: 65_535 }),
  'server.bind': string('127.0.0.1', 'Address that the dashboard listens on.'),
  'server.public': boolean(false, 'Allows an address beyond loopback, with TLS or a proxy and a passphrase.'),
  'server.tls_cert': string(null, 'File with the certificate chain.'),
  'server.tls_key': string(null, 'File with the private key.'),
  'server.behind_proxy': boolean(false, 'A reverse proxy ends TLS in front of us.'),
  'server.proxies': strings([], 'Addresses of that proxy: forwarded headers count only from them.'),
  'server.hosts': strings([], 'Further values of the Host header that are ours.'),
  'server.passphrase_file': string(null, 'File with the passphrase that logins beyond loopback need.'),
  'server.requests_per_s': integer(50, 'Requests a second per credential over TCP and Telegram.', {
    min: 1,
    max: 10_000,
  }),
  'server.requests_burst': integer(100, 'Requests at once per credential.', { min: 1, max: 10_000 }),
  'server.logins_per_15_min': integer(5, 'Failed logins before the door closes for 15 minutes.', { min: 1, max: 1000 }),
  'server.decisions_per_min': integer(30, 'Decisions of one person in a minute.', { min: 1, max: 10_000 }),
  'server.sessions_per_min': integer(10, 'Sessions started in a minute.', { min: 1, max: 1000 }),
  'server.max_connections': integer(200, 'Open HTTP connections.', { min: 4, max: 10_000 }),
  'server.max_streams': integer(32, 'Open event streams.', { min: 1, max: 1000 }),
  'server.max_terminals': integer(64, 'Open terminals over WebSocket.', { min: 1, max: 1000 }),
  'server.max_viewers': integer(8, 'Viewers of one pane.', { min: 1, max: 100 }),

  'telegram.enabled': boolean(true, 'Whether the bot runs when it has a token.'),
  'telegram.token': string(null, 'The bot token; files name telegram.token_file instead.', {
    isSecret: true,
    isEnvironmentOnly: true,
  }),
  'telegram.token_file': string(null, 'File (0600) with the bot token.'),
  'telegram.api_root': string('https://api.telegram.org', 'Address of the Bot API server.', {
    pattern: /^https?:\/\/\S+[^/\s]$/,
    form: 'an http(s) address without a slash at its end',
  }),
  'telegram.groups': strings([], 'Ids of groups in which the bot speaks.'),
  'telegram.group_detail': boolean(false, 'Whether paths and diffs may be shown in groups.', { project: 'off' }),
  'telegram.stream': oneOf(['auto', 'off'], 'auto', 'Whether answers grow while the agent writes.', {
    project: 'later',
  }),
  'telegram.topics': oneOf(['auto', 'off'], 'auto', 'One topic for each session and run where the chat can.'),
  'telegram.announce': boolean(false, 'Whether the bot says that it started.'),

  'projects.roots': strings([], 'Directories whose repositories are offered as projects.'),
  'env.pass': strings([], 'Further variables that processes started by the daemon get.', {
    pattern: /^[A-Za-z_][A-Za-z0-9_]*\*?$/,
    form: 'names of variables, perhaps with * at the end',
  }),
}
