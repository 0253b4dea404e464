import { boolean, duration, integer, number, string } from '../setting.js'

/** Terminals, sessions, prompts, uploads, and how screens are read. */
export const sessionSettings = {
  terminal: {
    scrollback: integer(
      5000,
      'Rows of scrollback that each session keeps in memory; older rows stay in the recording.',
      { min: 100, max: 10_000 },
    ),
    threads: integer(
      null,
      'How many threads of the daemon read terminals at most; never more than the number of cores minus one, which is also what counts if it is unset. 0: the daemon reads them itself.',
      { min: 0, max: 64 },
    ),
    size: string('120x40', 'Columns and rows of a new session that no terminal is attached to.', {
      project: 'yes',
      pattern: /^(?:[2-9]\d|[1-4]\d\d|500)x(?:[5-9]|[1-9]\d|[1-4]\d\d|500)$/,
      form: 'columns x rows, such as "120x40" (20x5 to 500x500)',
    }),
    screen_reader: boolean(
      false,
      'For screen readers: `signalbox` prints lines and takes typed commands instead of drawing a screen.',
    ),
  },

  attach: {
    detach_key: string('ctrl-]', 'The key that detaches your terminal from a session.', {
      pattern: /^ctrl-[a-z[\]\\^_]$/,
      form: 'ctrl- and one of a-z [ ] \\ ^ _',
    }),
    take_key: string('ctrl-t', 'The key that takes the keyboard over from another attached terminal.', {
      pattern: /^ctrl-[a-z[\]\\^_]$/,
      form: 'ctrl- and one of a-z [ ] \\ ^ _',
    }),
  },

  sessions: {
    max_total: integer(200, 'Sessions that may run at the same time.', { min: 1, max: 1000, project: 'lower' }),
    max_per_person: integer(
      3,
      'Sessions that each person may run through Telegram at the same time; 0 means no limit. The local user has no limit.',
      { isZeroUnlimited: true, max: 1000 },
    ),
    max_cost: number(null, 'Budget of one session in USD; a session that has used it is paused. None means no limit.', {
      min: 0,
    }),
    max_tokens: integer(
      null,
      'Budget of one session in tokens; a session that has used it is paused. None means no limit.',
      { min: 1 },
    ),
    ready_timeout_s: duration(60, 'Report a session, with its screen, if the agent is not ready after this long.', {
      min: 1,
      max: 3600,
      project: 'yes',
    }),
    auth_grace_s: duration(60, 'End a session that shows a login screen if no terminal attaches within this time.', {
      max: 86_400,
    }),
    silence_warning_min: duration(
      10,
      'Report a busy session once if its screen shows nothing new for this long; a spinner is not new.',
      { max: 1440, project: 'yes' },
    ),
    transcript_wait_ms: duration(2000, 'How long the end of a turn waits for the agent to write its transcript.', {
      max: 30_000,
    }),
    resume_lost: boolean(
      false,
      'When the daemon starts, continue the sessions that ran when the machine stopped, in their agents’ own conversations. Otherwise `signalbox resume --lost` does it.',
    ),
    snapshot_s: duration(30, 'How often the daemon saves a session’s state, so that the next daemon can resume it.', {
      min: 1,
      max: 3600,
    }),
    typing_repeat_ms: duration(4000, 'How often the typing indicator is repeated while the agent thinks.', {
      min: 500,
      max: 60_000,
    }),
  },

  send: {
    ready_wait_ms: duration(3000, 'How long sending a prompt waits for the agent’s input box.', { max: 60_000 }),
  },

  files: {
    keep_h: duration(24, 'Remove the uploads of a session this long after it ended.', { max: 8760 }),
    upload_max_mb: integer(20, 'Largest upload, in megabytes.', { min: 1, max: 2000, project: 'lower' }),
    download_max_mb: integer(50, 'Largest download, in megabytes.', { min: 1, max: 2000, project: 'lower' }),
    session_quota_mb: integer(500, 'Total size of one session’s uploads, in megabytes.', {
      min: 1,
      max: 100_000,
      project: 'lower',
    }),
  },

  reading: {
    stale_s: duration(30, 'Show a pane as unknown if no evidence arrives for this long.', { min: 1, max: 3600 }),
    settle_looks: integer(3, 'Equal screens in a row before idle, done or stopped is accepted.', { min: 1, max: 20 }),
    settle_gap_ms: duration(100, 'Minimum time between two screens of `reading.settle_looks`.', { min: 10, max: 5000 }),
    settle_max_ms: duration(700, 'A screen that does not change for this long is accepted at once.', {
      min: 50,
      max: 10_000,
    }),
  },
}
