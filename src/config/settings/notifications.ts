import { boolean, duration, oneOf, someOf, string, strings } from '../setting.js'

const CHANNELS = ['telegram', 'browser', 'terminal'] as const

/** Notifications, the Telegram bot and webhooks. */
export const notificationSettings = {
  notify: {
    enabled: boolean(true, 'Send notifications.'),
    needs_you: boolean(true, 'Notify when an agent needs a decision or an answer.'),
    done: boolean(true, 'Notify when a session or a run is done.', { project: 'off' }),
    failed: boolean(true, 'Notify when a session or a run fails.'),
    channels: someOf(
      CHANNELS,
      CHANNELS,
      'Channels in the order in which they are tried; `browser` includes the desktop, `notify.command` and webhooks.',
    ),
    grace_s: duration(20, 'While you are active on one channel, wait this long before notifying you on another.', {
      max: 3600,
    }),
    next_s: duration(180, 'Escalate to the next channel if a notification stays unread this long.', { max: 86_400 }),
    all_s: duration(600, 'Notify on every channel if a request stays undecided this long.', {
      max: 86_400,
    }),
    remind_s: duration(1800, 'Send one reminder if a request stays undecided this long.', { max: 86_400 }),
    quiet: string(null, 'Quiet hours: notifications are delayed until they end.', {
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

  webhooks: {
    '*': {
      url: string(null, 'Address that receives events of the log as JSON, one request each.', {
        isSecret: true,
        pattern: /^https?:\/\/\S+$/,
        form: 'an http(s) address',
      }),
      events: strings(
        ['approval.*', 'session.started', 'session.ended', 'session.noticed', 'turn.closed', 'run.*'],
        'Types of events that the webhook receives; * stands for any part, !… leaves types out.',
        { pattern: /^!?[a-z*][a-z.*-]*$/, form: 'types such as approval.* or !run.created' },
      ),
      secret_file: string(null, 'File (mode 0600) with the secret that signs the requests; none sends them unsigned.'),
    },
  },
}
