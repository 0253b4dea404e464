import { type CommandSpecs, JSON_OPTION } from './command-spec.js'

const APPROVAL_ARGUMENT = {
  name: 'id',
  description: 'the request: its id or a unique prefix of it',
  completes: 'approval',
} as const

const ONLY_ARGUMENT = {
  name: 'id',
  description: 'the request: its id or a unique prefix of it; default: the only one that waits',
  completes: 'approval',
  optional: true,
} as const

const FINGERPRINT_OPTION = {
  flags: '--fingerprint <hex>',
  description: 'the request’s fingerprint (at least 12 digits); required without a terminal',
} as const

const NO_WAIT_OPTION = {
  flags: '--no-wait',
  description: 'return when it is decided, before the agent has received the answer',
} as const

/** Requests that wait for a person, and standing approvals. */
export const APPROVAL_COMMANDS = {
  approvals: {
    group: 'approvals',
    daily: true,
    summary: 'list requests that wait for you; --history: past decisions',
    arguments: [{ name: 'id', description: 'only this request', optional: true, completes: 'approval' }],
    options: [
      { flags: '-a, --all', description: 'also decided ones' },
      { flags: '--history', description: 'who decided what and how fast, refusals, standing approvals' },
      { flags: '--since <time>', description: 'with --history: requests from this time on (2026-03-01, 24h)' },
      { flags: '--session <id>', description: 'with --history: of this session' },
      { flags: '--run <id>', description: 'with --history: of this run' },
      { flags: '--project <name>', description: 'with --history: of this project, by its directory or name' },
      { flags: '--person <name>', description: 'with --history: decided by this person' },
      {
        flags: '--decision <decision>',
        description: 'with --history: decided like this',
        choices: ['allowed', 'denied', 'answered', 'not-applied', 'undecided'],
      },
      { flags: '--search <words>', description: 'with --history: every word occurs in the request or the decision' },
      { flags: '--limit <n>', description: 'with --history: list only the newest; the figures are of all' },
      { flags: '--csv', description: 'with --history: one line per request, for a spreadsheet' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox approvals', 'open requests, oldest first'],
      ['signalbox approvals --history --since 24h', 'the last day, with figures'],
      ['signalbox approvals --history --project shop --decision denied', 'what was denied in a project'],
      ['signalbox approvals --history --csv > approvals.csv', 'everything, for a spreadsheet'],
    ],
  },
  approve: {
    group: 'approvals',
    daily: true,
    summary: 'allow a request once, or similar ones for a while',
    arguments: [ONLY_ARGUMENT],
    options: [
      { flags: '--option <label>', description: 'the option to choose, by its label or a unique prefix of it' },
      FINGERPRINT_OPTION,
      { flags: '--note <text>', description: 'a note for the record' },
      { flags: '--for <duration>', description: 'also allow similar requests for this long (30m, 2h)' },
      {
        flags: '--scope <scope>',
        description: 'with --for: where that applies (default: session)',
        choices: ['session', 'run', 'node', 'project'],
      },
      { flags: '--prefix <words>', description: 'with --for: cover plain commands that start with these words' },
      { flags: '--path <dir>', description: 'with --for: cover writes below this directory' },
      { flags: '--uses <n>', description: 'with --for: cover this many requests' },
      { flags: '--edit <file>', description: 'allow this input instead (JSON), if the agent supports it' },
      {
        flags: '--all-like',
        description: 'also the session’s other requests for the same tool, if all are low risk',
      },
      NO_WAIT_OPTION,
      JSON_OPTION,
    ],
    details:
      'Shows the request, asks for confirmation unless its risk is low, and reports when the agent has received the ' +
      'answer. With --for, and without --prefix or --path, a standing approval covers only the identical request. High risks and dialogs about trust, ' +
      'accounts, updates or money are never covered.',
    examples: [
      ['signalbox approve', 'show the request that waits, and allow it once'],
      ['signalbox approve apr_7g', 'one of several requests'],
      [
        'signalbox approve apr_7g --for 30m --prefix "npm test"',
        'also every plain npm test of this session for half an hour',
      ],
      ['signalbox approve apr_7g --fingerprint 3fa2b1c09d44', 'from a script'],
    ],
  },
  deny: {
    group: 'approvals',
    daily: true,
    summary: 'deny a request',
    arguments: [ONLY_ARGUMENT],
    options: [
      { flags: '--option <label>', description: 'the option to choose, if several deny' },
      { flags: '--note <text>', description: 'the reason; sent to the agent if it supports it' },
      { flags: '--interrupt', description: 'also interrupt the agent, so that it does not ask again' },
      { flags: '-a, --all', description: 'every request that waits' },
      NO_WAIT_OPTION,
      JSON_OPTION,
    ],
    examples: [
      ['signalbox deny', 'deny the request that waits'],
      ['signalbox deny apr_7g --note "not on main"', 'deny it with a reason'],
      ['signalbox deny --all', 'deny every request that waits'],
    ],
  },
  reject: {
    group: 'approvals',
    summary: 'same as deny; for a plan: ask for another one',
    arguments: [APPROVAL_ARGUMENT],
    options: [{ flags: '--note <text>', description: 'what should be different' }, NO_WAIT_OPTION, JSON_OPTION],
    examples: [['signalbox reject run_7g --note "use the old parser"', 'the Architect writes another plan']],
    hidden: true,
  },
  answer: {
    group: 'approvals',
    daily: true,
    summary: 'answer an agent’s question: an option, several choices, or text',
    arguments: [
      APPROVAL_ARGUMENT,
      { name: 'option', description: 'the option, by its label or a unique prefix of it', optional: true },
    ],
    options: [
      { flags: '--choice <label>', description: 'one of several choices; repeatable', repeatable: true },
      { flags: '--text <text>', description: 'an answer in your own words' },
      FINGERPRINT_OPTION,
      { flags: '--note <text>', description: 'a note for the record' },
      NO_WAIT_OPTION,
      JSON_OPTION,
    ],
    examples: [
      ['signalbox answer apr_7g "Use tabs"', 'choose one option'],
      ['signalbox answer apr_7g --choice Linux --choice macOS', 'choose several'],
      ['signalbox answer apr_7g --text "neither; ask me tomorrow"', 'your own words'],
    ],
  },
  grants: {
    group: 'approvals',
    summary: 'list, add, revoke or pause standing approvals',
    arguments: [
      {
        name: 'action',
        description: 'add, revoke, pause or resume',
        optional: true,
        completes: ['add', 'revoke', 'pause', 'resume'],
      },
      {
        name: 'id',
        description: 'with add: the beginning of the command; with revoke: its id or a prefix of it',
        optional: true,
      },
    ],
    options: [
      { flags: '-a, --all', description: 'also those that have ended' },
      { flags: '--project <dir>', description: 'with add: for this directory (default: here)' },
      { flags: '--agent <agent>', description: 'with add: only for this agent' },
      { flags: '--files <dir>', description: 'with add: edits of files below this directory, instead of a command' },
      { flags: '--preview', description: 'with add: only show what it would have covered in the last 30 days' },
      { flags: '--note <text>', description: 'with add: why' },
      { flags: '--yes', description: 'with add: do not ask' },
      JSON_OPTION,
    ],
    details:
      'A standing approval holds until you revoke it. It never covers what is rated high, and never a command with ' +
      'operators, quotes or wildcards.',
    examples: [
      ['signalbox grants add "npm test"', 'always allow it in this project; shows first what it would have covered'],
      ['signalbox grants', 'active ones, with time and uses left'],
      ['signalbox grants revoke grt_4m', 'revoke one'],
      ['signalbox grants pause', 'ask for everything again from now on'],
    ],
  },
} as const satisfies CommandSpecs
