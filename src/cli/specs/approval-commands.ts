import { type CommandSpec, JSON_OPTION } from './command-spec.js'

const APPROVAL_ARGUMENT = {
  name: 'id',
  description: 'the approval: its id or a unique beginning of it',
  completes: 'approval',
} as const
const FINGERPRINT_OPTION = {
  flags: '--fingerprint <hex>',
  description: 'the request’s fingerprint (at least 12 digits); required without a terminal',
}
const NO_WAIT_OPTION = { flags: '--no-wait', description: 'return when it is decided, before the agent was told' }

/** Requests that wait for a person, and what stands in for one. */
export const APPROVAL_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'approvals',
    group: 'approvals',
    summary: 'what waits for a decision; --history what was decided',
    options: [
      { flags: '-a, --all', description: 'also those that are decided' },
      { flags: '--history', description: 'who decided what and how fast, refusals, grants' },
      { flags: '--since <time>', description: 'with --history: requests of this time or later (2026-03-01, 24h)' },
      { flags: '--run <id>', description: 'with --history: of this run' },
      { flags: '--person <name>', description: 'with --history: decided by this person' },
      { flags: '--csv', description: 'with --history: one line a request, for a spreadsheet' },
      JSON_OPTION,
    ],
    examples: [
      ['signalbox approvals', 'open requests, oldest first'],
      ['signalbox approvals --history --since 24h', 'the last day, with figures'],
      ['signalbox approvals --history --csv > approvals.csv', 'everything, for a spreadsheet'],
    ],
    load: () => import('../commands/approvals.js'),
  },
  {
    name: 'approve',
    group: 'approvals',
    summary: 'allow a request, once; or for a while, with a grant',
    arguments: [{ ...APPROVAL_ARGUMENT, optional: true }],
    options: [
      { flags: '--option <label>', description: 'the option to choose, by its label or a beginning that only one has' },
      FINGERPRINT_OPTION,
      { flags: '--note <text>', description: 'a note for the record' },
      { flags: '--for <duration>', description: 'also make a grant that lasts so long (30m, 2h)' },
      {
        flags: '--scope <scope>',
        description: 'where the grant holds (default: session)',
        choices: ['session', 'run', 'node', 'project'],
      },
      { flags: '--prefix <words>', description: 'the grant covers plain commands that begin with these words' },
      { flags: '--path <dir>', description: 'the grant covers writes below this directory' },
      { flags: '--uses <n>', description: 'the grant holds for so many requests' },
      { flags: '--edit <file>', description: 'allow this input instead (JSON), where the agent can take it' },
      {
        flags: '--all-like',
        description: 'also the others of the session that ask for the same tool, if all are harmless',
      },
      NO_WAIT_OPTION,
      JSON_OPTION,
    ],
    details:
      'Shows the request, asks once more unless its risk is low, says *decided* and then what became of it.\n' +
      'Without an id it is the request that waits, if exactly one does.\n' +
      'Without --prefix or --path a grant covers the very same request. High risks and dialogs about trust, accounts,\n' +
      'updates or money are never granted.',
    examples: [
      ['signalbox approve', 'look at the one that waits, allow it once'],
      ['signalbox approve apr_7g', 'the same for one of several'],
      [
        'signalbox approve apr_7g --for 30m --prefix "npm test"',
        'and every plain npm test of this session for half an hour',
      ],
      ['signalbox approve apr_7g --fingerprint 3fa2b1c09d44', 'from a script'],
    ],
    load: () => import('../commands/approve.js'),
  },
  {
    name: 'deny',
    group: 'approvals',
    summary: 'refuse a request',
    arguments: [{ ...APPROVAL_ARGUMENT, optional: true }],
    options: [
      { flags: '--option <label>', description: 'the option to choose, where several refuse' },
      { flags: '--note <text>', description: 'why; the agent is told where it can be' },
      { flags: '--interrupt', description: 'and stop what the agent is doing: it would only ask again' },
      { flags: '-a, --all', description: 'everything that waits' },
      NO_WAIT_OPTION,
      JSON_OPTION,
    ],
    examples: [
      ['signalbox deny', 'refuse the one that waits'],
      ['signalbox deny apr_7g --note "not on main"', 'refuse it with a reason'],
      ['signalbox deny --all', 'refuse everything that waits'],
    ],
    load: () => import('../commands/deny.js'),
  },
  {
    name: 'reject',
    group: 'approvals',
    summary: 'the same as deny; for a plan: ask for another one',
    arguments: [APPROVAL_ARGUMENT],
    options: [{ flags: '--note <text>', description: 'what should be different' }, NO_WAIT_OPTION, JSON_OPTION],
    examples: [['signalbox reject run_7g --note "use the old parser"', 'the Architect writes another plan']],
    hidden: true,
    load: () => import('../commands/deny.js'),
  },
  {
    name: 'answer',
    group: 'approvals',
    summary: 'answer an agent’s question: an option, several choices, or a text',
    arguments: [
      APPROVAL_ARGUMENT,
      { name: 'option', description: 'the option, by its label or a beginning that only one has', optional: true },
    ],
    options: [
      { flags: '--choice <label>', description: 'one of several answers; may be given again', repeatable: true },
      { flags: '--text <text>', description: 'an answer in your own words' },
      FINGERPRINT_OPTION,
      { flags: '--note <text>', description: 'a note for the record' },
      NO_WAIT_OPTION,
      JSON_OPTION,
    ],
    examples: [
      ['signalbox answer apr_7g "Use tabs"', 'choose one'],
      ['signalbox answer apr_7g --choice Linux --choice macOS', 'choose several'],
      ['signalbox answer apr_7g --text "neither; ask me tomorrow"', 'write it'],
    ],
    load: () => import('../commands/answer.js'),
  },
  {
    name: 'grants',
    group: 'approvals',
    summary: 'what you have allowed in advance; revoke it, or rest all of it',
    arguments: [
      {
        name: 'action',
        description: 'revoke, pause or resume',
        optional: true,
        completes: ['revoke', 'pause', 'resume'],
      },
      { name: 'id', description: 'with revoke: the grant’s id or a unique beginning of it', optional: true },
    ],
    options: [{ flags: '-a, --all', description: 'also those that have ended' }, JSON_OPTION],
    examples: [
      ['signalbox grants', 'what holds now, with time and uses left'],
      ['signalbox grants revoke grt_4m', 'end one'],
      ['signalbox grants pause', 'from now on everything is asked again'],
    ],
    load: () => import('../commands/grants.js'),
  },
]
