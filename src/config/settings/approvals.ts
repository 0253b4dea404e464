import { duration, integer, oneOf, someOf, strings } from '../setting.js'

const SURFACES = ['cli', 'web', 'telegram', 'api'] as const

/** Requests, decisions, the sandbox that agents run in, and what is redacted. */
export const approvalSettings = {
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
      'Processes that tmux, at, cron or a service manager started may have been started for an agent. ask: such a process needs a code from your terminal (tmux) or the passphrase before it decides, once an agent has run outside a sandbox. allow: it needs none.',
    ),
    hold: oneOf(
      ['adapter', 'always', 'never', 'unattended'],
      'adapter',
      'Which permission hooks may wait for a decision: those of agents whose own dialog stays usable meanwhile, all, none, or all while no terminal is attached.',
    ),
    grant_for: duration(
      1800,
      'How long a standing approval with a time limit lasts unless the person chooses otherwise.',
      { min: 1, max: 28_800, project: 'lower' },
    ),
    grant_max: duration(28_800, 'The longest time that a standing approval with a time limit may last.', {
      min: 1,
      max: 28_800,
      project: 'lower',
    }),
    grant_uses: integer(
      20,
      'How often a standing approval with a time limit may be used unless the person chooses otherwise.',
      { min: 1, max: 200, project: 'lower' },
    ),
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

  secrets: {
    tokens: strings(
      [],
      'Tokens of your own services that are redacted like known ones, each as "name prefix [length]": a name for the marker, the prefix of the token, and the minimum number of characters after it (default 16).',
    ),
  },
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
}
