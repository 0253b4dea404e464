import { duration, integer, string } from './setting.js'

/** Terminals, sessions, sending, delivery and files. */
export const liveSettings = {
  'terminal.quiet_ms': duration(16, 'No byte for so long ends a frame.', { min: 1, max: 1000 }),
  'terminal.cap_ms': duration(50, 'A frame ends at most this long after its first byte.', { min: 1, max: 1000 }),
  'terminal.sync_cap_ms': duration(500, 'An open synchronized update is cut after this.', { min: 50, max: 10_000 }),
  'terminal.resize_hold_ms': duration(250, 'Nothing is classified for so long after our own resize.', { max: 5000 }),
  'terminal.scrollback': integer(2000, 'Live rows kept per pane; older text lives in the recording.', {
    min: 100,
    max: 10_000,
  }),
  'terminal.size': string('120x40', 'Columns and rows of a new session without a viewer.', {
    project: 'yes',
    pattern: /^(?:[2-9]\d|[1-4]\d\d|500)x(?:[5-9]|[1-9]\d|[1-4]\d\d|500)$/,
    form: 'columns x rows, such as "120x40" (20x5 to 500x500)',
  }),
  'terminal.in_flight_max': integer(8_388_608, 'Unparsed bytes above which the host reads on from the recording.', {
    min: 65_536,
    max: 52_428_800,
  }),
  'terminal.ambiguous': integer(1, 'Cells of a character of ambiguous width.', { min: 1, max: 2 }),

  'attach.detach_key': string('ctrl-]', 'The key that detaches from an attached session.', {
    pattern: /^ctrl-[a-z[\]\\^_]$/,
    form: 'ctrl- and one of a-z [ ] \\ ^ _',
  }),

  'attach.take_key': string('ctrl-t', 'The key that takes the keyboard over from another attached terminal.', {
    pattern: /^ctrl-[a-z[\]\\^_]$/,
    form: 'ctrl- and one of a-z [ ] \\ ^ _',
  }),

  'blocks.hold_rows': integer(1, 'Rows at the live end that are held back while they still grow.', { max: 20 }),

  'sessions.max_total': integer(200, 'Sessions that one host runs at once.', { min: 1, max: 1000, project: 'lower' }),
  'sessions.max_per_person': integer(
    3,
    'Sessions of one person who comes by Telegram; 0 is no limit. The local user has none.',
    {
      isZeroUnlimited: true,
      max: 1000,
    },
  ),
  'sessions.ready_timeout_s': duration(60, 'A session that is not ready after this is reported with its screen.', {
    min: 1,
    max: 3600,
    project: 'yes',
  }),
  'sessions.auth_grace_s': duration(60, 'A login screen that nobody attends for so long ends the session.', {
    max: 86_400,
  }),
  'sessions.silence_warning_min': duration(10, 'A busy session without any change for so long is reported once.', {
    max: 1440,
    project: 'yes',
  }),
  'sessions.transcript_wait_ms': duration(2000, 'How long the end of a turn waits for the transcript.', {
    max: 30_000,
  }),
  'sessions.snapshot_s': duration(30, 'How often the state of a session is saved for the next host.', {
    min: 1,
    max: 3600,
  }),

  'send.ready_wait_ms': duration(3000, 'How long sending waits for the input box.', { max: 60_000 }),

  'sinks.typing_repeat_ms': duration(4000, 'How often "typing" is repeated while the agent thinks.', {
    min: 500,
    max: 60_000,
  }),
  'sinks.web_edit_ms': duration(50, 'Least time between two edits of a message on the web.', { max: 10_000 }),
  'sinks.telegram_edit_ms': duration(1100, 'Least time between two edits in a private chat.', {
    min: 500,
    max: 60_000,
  }),
  'sinks.telegram_draft_ms': duration(500, 'Least time between two draft updates.', { min: 100, max: 60_000 }),
  'sinks.telegram_group_edit_ms': duration(3200, 'Least time between two edits in a group.', {
    min: 1000,
    max: 60_000,
  }),
  'sinks.draft_renew_s': duration(20, 'A silent draft is renewed after this, before it fades.', { min: 1, max: 60 }),

  'files.keep_h': duration(24, 'Uploads of an ended session are removed after this.', { max: 8760 }),
  'files.upload_max_mb': integer(20, 'Largest upload in megabytes.', { min: 1, max: 2000, project: 'lower' }),
  'files.download_max_mb': integer(50, 'Largest download in megabytes.', { min: 1, max: 2000, project: 'lower' }),
  'files.session_quota_mb': integer(500, 'All uploads of one session together, in megabytes.', {
    min: 1,
    max: 100_000,
    project: 'lower',
  }),

  'reading.stale_s': duration(30, 'A reading without fresh evidence for so long is shown as unknown.', {
    min: 1,
    max: 3600,
  }),
  'reading.settle_looks': integer(3, 'Equal looks after which idle, done and stopped are believed.', {
    min: 1,
    max: 20,
  }),
  'reading.settle_gap_ms': duration(100, 'Least time between two such looks.', { min: 10, max: 5000 }),
  'reading.settle_max_ms': duration(700, 'After this a single look suffices.', { min: 50, max: 10_000 }),

  'store.url': string(null, 'PostgreSQL URL of a shared store; none is the SQLite file of this machine.', {
    isSecret: true,
  }),
  'store.keep_days': duration(
    null,
    'Sessions that ended so long ago leave the lists, and their recordings and uploads are removed; none keeps them. The log of events stays.',
    {
      min: 1,
      max: 36_500,
    },
  ),
  'store.min_free_mb': integer(500, 'With less free space than this, new sessions and recordings are refused.', {
    max: 1_000_000,
  }),
}
