/**
 * A setting as the page offers it: in the words of a person, with the control that fits its type.
 */
export interface Control {
  key: string
  label: string
  hint?: string
  /** What an empty field means. */
  empty?: string
  kind: 'switch' | 'seconds' | 'days' | 'hours' | 'money' | 'number' | 'text' | 'list' | 'choice'
  choices?: readonly { value: string; label: string }[]
  /** It applies without a restart. */
  isLive?: boolean
}

export interface Topic {
  tab: string
  label: string
  about: string
  groups: readonly { title: string; controls: readonly Control[] }[]
}

const on = (key: string, label: string, hint?: string): Control => ({
  key,
  label,
  kind: 'switch',
  ...(hint !== undefined && { hint }),
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
          on('notify.needs_you', 'An agent needs me'),
          on('notify.done', 'Work is done'),
          on('notify.failed', 'Work fails'),
        ],
      },
      {
        title: 'Quiet hours and escalation',
        controls: [
          {
            key: 'notify.quiet',
            label: 'Quiet hours',
            kind: 'hours',
            hint: 'Held back until they end, then one digest. Empty: none.',
          },
          {
            key: 'notify.grace_s',
            label: 'Wait before another channel, while I am active',
            kind: 'seconds',
          },
          { key: 'notify.next_s', label: 'Next channel if unread for', kind: 'seconds' },
          { key: 'notify.all_s', label: 'Every channel if undecided for', kind: 'seconds' },
          { key: 'notify.remind_s', label: 'One reminder if undecided for', kind: 'seconds' },
          { key: 'notify.stuck_s', label: 'Notify if an agent makes no progress for', kind: 'seconds' },
        ],
      },
      {
        title: 'Other channels',
        controls: [
          {
            key: 'notify.webhooks',
            label: 'Webhooks',
            kind: 'list',
            hint: 'One URL a line: ntfy, Slack, Discord, or your own (JSON). ntfy+https://… names the service.',
          },
          on('notify.desktop', 'Desktop notifications of the machine that runs Signalbox'),
        ],
      },
    ],
  },
  {
    tab: 'agents',
    label: 'Agents',
    about: 'Sessions, and when an agent counts as silent.',
    groups: [
      {
        title: 'Sessions',
        controls: [
          {
            key: 'terminal.size',
            label: 'Size of new terminals',
            kind: 'text',
            hint: 'columns × rows, such as 120x40',
          },
          { key: 'sessions.max_total', label: 'Live sessions at most', kind: 'number' },
          {
            key: 'sessions.silence_warning_min',
            label: 'Warn if a working agent is silent for (minutes)',
            kind: 'number',
          },
          { key: 'sessions.ready_timeout_s', label: 'Warn if an agent does not start within', kind: 'seconds' },
          { key: 'panes.long_after_s', label: 'A command is long-running after', kind: 'seconds' },
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
          {
            key: 'approvals.step_up',
            label: 'Confirm high risks with a passphrase',
            kind: 'choice',
            choices: [
              { value: 'auto', label: 'When others can reach this server' },
              { value: 'on', label: 'Always' },
              { value: 'off', label: 'Never' },
            ],
          },
          { key: 'approvals.decide_from', label: 'Decisions may come from', kind: 'list' },
          {
            key: 'approvals.expire_after',
            label: 'Expire an unanswered request after',
            kind: 'seconds',
            hint: 'Empty: never. An expired request is never allowed.',
          },
        ],
      },
      {
        title: 'Standing approvals for a limited time',
        controls: [
          { key: 'approvals.grant_for', label: 'Last for', kind: 'seconds' },
          { key: 'approvals.grant_uses', label: 'Uses at most', kind: 'number' },
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
          { key: 'runs.day_usd', label: 'All sessions and runs of a day', kind: 'money', isLive: true },
          { key: 'sessions.max_cost', label: 'One session', kind: 'money', isLive: true },
          {
            key: 'sessions.max_tokens',
            label: 'One session, in tokens',
            kind: 'number',
            empty: 'no limit',
            isLive: true,
          },
          { key: 'runs.max_concurrent', label: 'Runs at the same time', kind: 'number' },
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
        title: 'This server',
        controls: [
          { key: 'server.port', label: 'Port', kind: 'number' },
          { key: 'server.bind', label: 'Listens on', kind: 'text' },
          on('server.public', 'Reachable from other machines'),
          { key: 'server.hosts', label: 'Names of this server', kind: 'list' },
          on('server.behind_proxy', 'Behind a reverse proxy with TLS'),
        ],
      },
    ],
  },
]
