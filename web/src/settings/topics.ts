import { SURFACE_WORDS } from '../../../src/text/status-word'
import type { FieldView } from './field'

const { cli, web, telegram, api } = SURFACE_WORDS

/** A setting as the page offers it: in the words of a person. Its type decides the control. */
export interface Control {
  key: string
  label: string
  hint?: string
  look?: FieldView
}

export interface Topic {
  tab: string
  label: string
  about: string
  groups: readonly { title: string; controls: readonly Control[] }[]
}

const set = (key: string, label: string, hint?: string, look?: FieldView): Control => ({
  key,
  label,
  ...(hint !== undefined && { hint }),
  ...(look && { look }),
})

export const TOPICS: readonly Topic[] = [
  {
    tab: 'notifications',
    label: 'Notifications',
    about: 'When and where you are notified.',
    groups: [
      {
        title: 'Notify me when',
        controls: [
          set('notify.needs_you', 'An agent needs me', 'It asks for a decision or an answer.'),
          set('notify.done', 'Work is done', 'A session or a run has finished.'),
          set('notify.failed', 'Work fails', 'A session or a run has failed.'),
          set('notify.stuck_s', 'An agent makes no progress for'),
        ],
      },
      {
        title: 'Where',
        controls: [
          set(
            'notify.channels',
            'Channels',
            'Used in this order: the next one if you do not react. Channels that are not set up are skipped.',
            {
              words: { telegram: 'Telegram', browser: 'Browser', terminal: 'Terminal' },
            },
          ),
          set(
            'notify.webhooks',
            'Webhooks',
            'One URL per line: ntfy, Slack, Discord, or your own program, which gets JSON. Begin with ntfy+https:// to name the service.',
          ),
          set('notify.desktop', 'Desktop notifications', 'On the machine that runs Signalbox.'),
        ],
      },
      {
        title: 'Quiet hours and escalation',
        controls: [
          set(
            'notify.quiet',
            'Quiet hours',
            'Notifications wait until they end and arrive as one digest. Empty: no quiet hours.',
            {
              isHours: true,
            },
          ),
          set(
            'notify.grace_s',
            'While I am active, wait before another channel',
            'You are active where you type or press.',
          ),
          set('notify.next_s', 'Next channel if unread for', 'Then the next channel of the list above is used, too.'),
          set('notify.all_s', 'Every channel if undecided for', 'Every approver is notified.'),
          set('notify.remind_s', 'One reminder if undecided for'),
        ],
      },
    ],
  },
  {
    tab: 'agents',
    label: 'Agents',
    about: 'Which agents this machine has, how their sessions start, and what they may reach.',
    groups: [
      {
        title: 'Sessions',
        controls: [
          set('terminal.size', 'Size of new terminals', 'columns × rows, such as 120x40'),
          set('sessions.max_total', 'Live sessions at most', 'Signalbox refuses to start another one.'),
          set(
            'sessions.resume_lost',
            'Continue sessions after a restart of the machine',
            'When Signalbox starts, agents continue in their own conversations.',
          ),
          set(
            'sessions.silence_warning_min',
            'Warn if a working agent is silent for',
            'Nothing new has appeared on its screen.',
          ),
          set('sessions.ready_timeout_s', 'Warn if an agent does not start within'),
          set('panes.long_after_s', 'Show a command as long-running after'),
        ],
      },
      {
        title: 'Sandbox',
        controls: [
          set(
            'sandbox.use',
            'Start agents in a sandbox',
            'The agent can write only in its project and reach only its hosts.',
            {
              switch: { on: 'auto', off: 'off' },
            },
          ),
          set('sandbox.network', 'Network of a sandbox', 'What agents in a sandbox can reach.', {
            words: { on: 'Everything', filtered: 'Hosts the agent needs', off: 'Nothing' },
          }),
          set('sandbox.hosts', 'Further hosts that a sandbox may reach'),
          set('sandbox.write', 'Further directories that a sandbox may write'),
        ],
      },
      {
        title: 'Files that you attach',
        controls: [
          set('files.upload_max_mb', 'Largest file', undefined, { unit: 'MB' }),
          set('files.session_quota_mb', 'All files of one session', undefined, { unit: 'MB' }),
          set('files.keep_h', 'Remove them after the session has ended for'),
        ],
      },
    ],
  },
  {
    tab: 'approvals',
    label: 'Approvals',
    about: 'Who decides, from where, and standing approvals.',
    groups: [
      {
        title: 'Decisions',
        controls: [
          set(
            'approvals.step_up',
            'Confirm high risks with a passphrase',
            'You enter it once, and it holds for a while.',
            {
              words: { auto: 'If other machines can reach this page', on: 'Always', off: 'Never' },
            },
          ),
          set(
            'approvals.decide_from',
            'Decisions may come from',
            'Other places show requests and cannot decide them.',
            {
              words: { cli, web, telegram, api },
            },
          ),
          set('approvals.expire_after', 'Expire an unanswered request after', 'Expired never means allowed.', {
            empty: 'never',
          }),
        ],
      },
      {
        title: 'Temporary approvals',
        controls: [
          set(
            'approvals.grant_for',
            'A temporary approval lasts for',
            'If you do not choose a time. “Always allow” lasts until you revoke it.',
          ),
          set('approvals.grant_uses', 'It is used at most', 'Then the agent asks again.', { unit: 'times' }),
        ],
      },
    ],
  },
  {
    tab: 'budget',
    label: 'Budget',
    about: 'What sessions and runs may cost before they pause and ask.',
    groups: [
      {
        title: 'Limits',
        controls: [
          set('runs.day_usd', 'All sessions and runs of a day', 'Then they pause and ask you.', {
            unit: 'USD',
            empty: 'no limit',
          }),
          set('sessions.max_cost', 'Cost of one session', 'Then it pauses and asks you.', {
            unit: 'USD',
            empty: 'no limit',
          }),
          set('sessions.max_tokens', 'Tokens of one session', 'Then it pauses and asks you.', { empty: 'no limit' }),
          set('runs.max_concurrent', 'Runs at the same time', 'More runs wait for a free place.'),
        ],
      },
    ],
  },
  {
    tab: 'remote',
    label: 'Remote access',
    about: 'Your phone, other machines, and Telegram.',
    groups: [
      {
        title: 'Telegram',
        controls: [
          set('telegram.stream', 'Update an answer while the agent writes it', undefined, {
            switch: { on: 'auto', off: 'off' },
          }),
          set('telegram.topics', 'A topic for each session and run', undefined, {
            words: { auto: 'Where the chat has topics', off: 'No' },
          }),
          set('telegram.group_detail', 'Paths and diffs in groups'),
          set('telegram.announce', 'A message when the bot starts'),
        ],
      },
      {
        title: 'This server',
        controls: [
          set('server.port', 'Port', 'Chosen once, then kept.', { words: { '0': 'chosen automatically' } }),
          set('server.bind', 'Listens on'),
          set('server.public', 'Reachable from other machines', 'This also needs HTTPS and a passphrase.'),
          set('server.hosts', 'Names of this server', 'Host names under which browsers open this page.'),
          set('server.behind_proxy', 'Behind a reverse proxy with HTTPS'),
        ],
      },
    ],
  },
]

/** The settings that have a name for people. */
export const NAMED: ReadonlyMap<string, Control> = new Map(
  TOPICS.flatMap(({ groups }) => groups.flatMap(({ controls }) => controls.map(control => [control.key, control]))),
)
