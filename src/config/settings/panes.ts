import { boolean, duration, integer, number, oneOf, someOf, string, strings } from '../setting.js'

/** Supervision of panes, and the heuristics for programs that report nothing. */
export const paneSettings = {
  panes: {
    sources: someOf(
      ['session', 'tmux'],
      ['session', 'tmux'],
      'Where the panes come from; `tmux`: all your tmux servers, from the start of the daemon.',
      { project: 'subset' },
    ),
    tmux_socket: string(
      null,
      'Socket of the tmux server to watch; none watches all your servers in tmux’s own directory.',
    ),
    max_total: integer(500, 'Panes that are supervised at the same time.', { min: 1, max: 5000 }),
    history: integer(30, 'Status events, accepted or rejected, that each pane keeps with their reasons.', {
      min: 1,
      max: 1000,
    }),
    command_max: integer(50, 'Characters of a command line that are shown.', { min: 10, max: 500 }),
    long_after_s: duration(60, 'Commands that run longer than this are shown as long-running.', {
      min: 1,
      max: 86_400,
      project: 'yes',
    }),
    wait_fallback_s: duration(25, 'End a wait after this long if only heuristics detected it.', { min: 1, max: 3600 }),
    wait_fallback_running: boolean(
      true,
      'A wait that only heuristics detected ends as running, not as idle, if the content changed meanwhile.',
    ),
    display_delay_s: duration(5, 'Keep showing done or failed for this long after you have seen it.', { max: 600 }),
    dismiss_s: duration(60, 'Done and failed panes leave the compact list of `signalbox watch` after this long.', {
      max: 86_400,
    }),
    recent_s: duration(10, 'How long a done or failed pane is marked as “just finished” after it has faded.', {
      max: 86_400,
    }),
    quiet_run_s: duration(3, 'Work that takes less time than this sends no notification.', {
      max: 600,
      project: 'yes',
    }),
    focus_debounce_s: duration(0.3, 'A pane counts as seen after it has had the focus for this long.', { max: 10 }),
    poll_s: duration(1, 'How often the metadata of panes is read.', { min: 0.1, max: 60 }),
    flicker_max: integer(
      3,
      'Changes between active and idle within the flicker window that are allowed; a pane with more is flickering.',
      { min: 1, max: 100 },
    ),
    flicker_window_s: duration(60, 'The flicker window: changes between active and idle are counted in it.', {
      min: 1,
      max: 3600,
    }),
    flicker_hold_s: duration(3, 'How long a flickering pane must be idle before idle is accepted.', { max: 60 }),
    stuck_after_s: duration(300, 'A pane that is active without progress for this long is stuck.', {
      min: 1,
      max: 86_400,
      project: 'yes',
    }),
    stuck_tool_s: duration(900, 'A pane that is active without progress for this long, while a tool runs, is stuck.', {
      min: 1,
      max: 86_400,
      project: 'yes',
    }),
    stuck_frozen_s: duration(30, 'A progress row that does not move for this long is frozen.', { min: 1, max: 3600 }),
  },

  queue: {
    max: integer(256, 'Evidence that may wait per pane before unimportant evidence is dropped.', {
      min: 16,
      max: 65_536,
    }),
  },

  hooks: {
    enabled: boolean(true, 'Start sessions with hooks, and accept what they report.', { project: 'off' }),
  },

  osc7501: {
    enabled: boolean(true, 'Accept reports by OSC 7501 as evidence.', { project: 'off' }),
  },

  heuristics: {
    mode: oneOf(['auto', 'off'], 'auto', 'Use content heuristics where there is no better evidence.', {
      project: 'later',
    }),
    jobs: strings(
      ['gemini', 'codex', 'copilot', 'python', 'node'],
      'Programs that the heuristics may judge, in addition to every known agent.',
      { project: 'subset' },
    ),
    titles: strings(
      ['gemini', 'codex', 'copilot'],
      'Words in a terminal title that identify a program of `heuristics.jobs` when its name is unknown.',
      { project: 'subset' },
    ),
    prefer_job_name: boolean(true, 'Identify a program by its terminal title only if its name is unknown.'),
    prompt_silence_s: duration(
      5,
      'The heuristics start this long after the last report of shell integration or other better evidence.',
      { max: 600 },
    ),
    tail_rows: integer(5, 'Rows at the end of the screen that are compared to detect changes.', { min: 1, max: 50 }),
    live_rows: integer(8, 'Rows with text, counted from the end, that are searched for an interrupt hint.', {
      min: 1,
      max: 50,
    }),
    newline_min: integer(1, 'A pane counts as running if this many lines appear at once.', { max: 1000 }),
    burst_min: integer(50, 'A pane counts as running if this many characters appear at once.', { max: 100_000 }),
    line_rate_min: number(0, 'Lines per second (average of 5 s) that a running pane must print; 0: not required.', {
      max: 10_000,
    }),
    quiet_done_s: duration(2, 'A completion word followed by this much silence counts as done.', { max: 600 }),
    interrupt_done_s: duration(
      null,
      'Silence after an interrupt hint has disappeared that counts as done; none uses `heuristics.quiet_done_s`.',
      { max: 600 },
    ),
    quiet_wait_s: duration(1, 'A question must stay on the screen for this long before it counts.', { max: 600 }),
    flicker_guard_s: duration(0.5, 'New output within this time after a question cancels the question.', { max: 60 }),
    quiet_idle_s: duration(5, 'Silence that counts as idle.', { max: 600 }),
    idle_reemit_s: duration(30, 'Minimum time between two equal idle signals.', { max: 3600 }),
    stall_s: duration(30, 'Motion (a spinner, a clock) without new content for this long counts as stalled.', {
      max: 3600,
    }),
    stalled: oneOf(['flag', 'wait'], 'flag', 'Whether a stalled program is only marked or counts as waiting.'),
    debounce_s: duration(1, 'Minimum time between two signals of the same name.', { max: 60 }),
    patterns: {
      prompt: strings(
        ['^(?:.{0,120}?)(?:[$#>]|(?<!\\d)%|❯|➜|>>>|In \\[\\d+\\]:|\\(Pdb\\)) ?$', '^[A-Za-z]{1,20}> ?$'],
        'A prompt, matched against the text before the cursor.',
      ),
      continuation: strings(['^\\s*\\.\\.\\.:? ?$'], 'A continuation prompt, matched against the whole row.'),
      question: strings(
        [
          '\\([yY]/[nN]\\)\\s*$',
          '\\[[yY]/[nN]\\]\\s*$',
          '\\?\\s*$',
          ':\\s*$',
          '^Press .* to .*',
          '^Press Enter to continue\\.?\\s*$',
          'Select.*:\\s*$',
        ],
        'A question, matched against the row of the cursor.',
      ),
      spinner: strings(
        ['\\.{3,}$', '[|/\\\\-]$', '\\d+%', '\\bETA\\b', '[MK]B/s', '[\\u2801-\\u28ff]'],
        'A progress indicator; it counts only while it moves.',
      ),
      negative: strings(['[\\u2801-\\u28ff]\\s*>'], 'A row that suppresses every signal of this screen.'),
      completion: strings(
        [
          '^\\W{0,3}(?:all )?(?:done|finished|success(?:ful(?:ly)?)?|completed?|ready|applied|updated)\\W{0,3}$',
          '\\bexit code 0$',
        ],
        'A completion word, matched against the whole last row.',
      ),
      interrupt: strings(
        ['esc to interrupt', 'esc to cancel', 'press esc to stop'],
        'The interrupt hint of a working agent, searched for in the last `heuristics.live_rows` rows.',
      ),
      interrupt_not: strings(
        [
          '[{}();`]',
          '\\b(?:class|def|function|const|let|var)\\b',
          '\\b(?:submit|confirm|select)\\b',
          '^\\s*(?:[->]|\\d+[.)])\\s',
          '["“”]',
        ],
        'Rows in which the interrupt hint does not count: code, quotes, lists, footers of menus.',
      ),
      approval: strings(
        ['1\\.\\s*Yes', '\\[Y\\]es'],
        'A permission menu; it counts only if the menu parser also finds a live menu.',
      ),
    },
  },
}
