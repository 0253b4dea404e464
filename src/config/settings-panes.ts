import { boolean, duration, integer, number, oneOf, someOf, string, strings } from './setting.js'

/** Supervision of panes and the heuristics for programs that report nothing. */
export const paneSettings = {
  'panes.sources': someOf(['session', 'tmux', 'iterm2'], ['session', 'tmux'], 'Where panes come from.', {
    project: 'subset',
  }),
  'panes.tmux_socket': string(
    null,
    'Socket of the tmux server to watch; none: every server of yours in tmux’s own directory.',
  ),
  'panes.max_total': integer(500, 'Panes that one host supervises.', { min: 1, max: 5000 }),
  'panes.history': integer(30, 'Accepted and refused events kept per pane, with their reasons.', { min: 1, max: 1000 }),
  'panes.command_max': integer(50, 'Characters of a command line that are shown.', { min: 10, max: 500 }),
  'panes.long_after_s': duration(60, 'Running for so long is long-running.', { min: 1, max: 86_400, project: 'yes' }),
  'panes.wait_fallback_s': duration(25, 'A wait that only heuristics saw ends after this.', { min: 1, max: 3600 }),
  'panes.wait_fallback_running': boolean(true, 'Such a wait ends as running if the content changed meanwhile.'),
  'panes.display_delay_s': duration(5, 'Done and failed are shown this much longer after they were seen.', {
    max: 600,
  }),
  'panes.dismiss_s': duration(60, 'Done and failed fade from the compact list after this.', { max: 86_400 }),
  'panes.recent_s': duration(10, 'How long "just finished" is marked after fading.', { max: 86_400 }),
  'panes.quiet_run_s': duration(3, 'Shorter runs neither blink nor notify.', { max: 600, project: 'yes' }),
  'panes.focus_debounce_s': duration(0.3, 'Focus must last this long to count as seen.', { max: 10 }),
  'panes.poll_s': duration(1, 'How often metadata and polled sources are read.', { min: 0.1, max: 60 }),
  'panes.flicker_max': integer(3, 'More changes between active and rest than this in the window is flicker.', {
    min: 1,
    max: 100,
  }),
  'panes.flicker_window_s': duration(60, 'The window in which flicker is counted.', { min: 1, max: 3600 }),
  'panes.flicker_hold_s': duration(3, 'Settling time of a pane that flickers.', { max: 60 }),
  'panes.stuck_after_s': duration(300, 'Active without progress for so long is stuck.', {
    min: 1,
    max: 86_400,
    project: 'yes',
  }),
  'panes.stuck_tool_s': duration(900, 'The same while a tool runs.', { min: 1, max: 86_400, project: 'yes' }),
  'panes.stuck_frozen_s': duration(30, 'A working row without any motion for so long is frozen.', {
    min: 1,
    max: 3600,
  }),

  'queue.max': integer(256, 'Signals that wait per pane before the unimportant ones are dropped.', {
    min: 16,
    max: 65_536,
  }),

  'hooks.enabled': boolean(true, 'Whether hooks of agents count as evidence.', { project: 'off' }),
  'osc7501.enabled': boolean(true, 'Whether reports by OSC 7501 count as evidence.', { project: 'off' }),

  'heuristics.mode': oneOf(['auto', 'off'], 'auto', 'Content heuristics where nothing better speaks.', {
    project: 'later',
  }),
  'heuristics.jobs': strings(
    ['gemini', 'codex', 'copilot', 'python', 'node'],
    'Programs that heuristics may judge, besides every known agent.',
    { project: 'subset' },
  ),
  'heuristics.titles': strings(
    ['gemini', 'codex', 'copilot'],
    'Words of a title that stand in for a missing job name.',
    {
      project: 'subset',
    },
  ),
  'heuristics.prefer_job_name': boolean(true, 'Whether the title counts only without a job name.'),
  'heuristics.prompt_silence_s': duration(5, 'Shell integration must be silent for so long before heuristics speak.', {
    max: 600,
  }),
  'heuristics.tail_rows': integer(5, 'Last rows that are looked at.', { min: 1, max: 50 }),
  'heuristics.live_rows': integer(8, 'Last rows with text that are looked at for marks.', { min: 1, max: 50 }),
  'heuristics.newline_min': integer(1, 'New lines that make a run.', { max: 1000 }),
  'heuristics.burst_min': integer(50, 'Characters in one burst that make a run.', { max: 100_000 }),
  'heuristics.line_rate_min': number(0, 'Lines a second over 5 s that a run needs; 0 is not used.', { max: 10_000 }),
  'heuristics.quiet_done_s': duration(2, 'Quiet after a completion word that makes done.', { max: 600 }),
  'heuristics.interrupt_done_s': duration(null, 'Quiet after the interrupt mark has gone; none is quiet_done_s.', {
    max: 600,
  }),
  'heuristics.quiet_wait_s': duration(1, 'A question must stand for so long.', { max: 600 }),
  'heuristics.flicker_guard_s': duration(0.5, 'New output within this time means that it was no question.', {
    max: 60,
  }),
  'heuristics.quiet_idle_s': duration(5, 'Quiet that makes idle.', { max: 600 }),
  'heuristics.idle_reemit_s': duration(30, 'Least time between two equal idle signals.', { max: 3600 }),
  'heuristics.stall_s': duration(30, 'Motion without change for so long is a plateau.', { max: 3600 }),
  'heuristics.plateau': oneOf(['flag', 'wait'], 'flag', 'Whether a plateau is a mark or a wait.'),
  'heuristics.debounce_s': duration(1, 'Least time between two signals of one name.', { max: 60 }),
  'heuristics.patterns.prompt': strings(
    ['^(?:.{0,120}?)(?:[$#>]|(?<!\\d)%|❯|➜|>>>|In \\[\\d+\\]:|\\(Pdb\\)) ?$', '^[A-Za-z]{1,20}> ?$'],
    'A prompt, in the text before the cursor.',
  ),
  'heuristics.patterns.continuation': strings(['^\\s*\\.\\.\\.:? ?$'], 'A continuation prompt, as the whole row.'),
  'heuristics.patterns.question': strings(
    [
      '\\([yY]/[nN]\\)\\s*$',
      '\\[[yY]/[nN]\\]\\s*$',
      '\\?\\s*$',
      ':\\s*$',
      '^Press .* to .*',
      '^Press Enter to continue\\.?\\s*$',
      'Select.*:\\s*$',
    ],
    'A question on the row of the cursor.',
  ),
  'heuristics.patterns.spinner': strings(
    ['\\.{3,}$', '[|/\\\\-]$', '\\d+%', '\\bETA\\b', '[MK]B/s', '[\\u2801-\\u28ff]'],
    'Progress, counted only while it moves.',
  ),
  'heuristics.patterns.negative': strings(['[\\u2801-\\u28ff]\\s*>'], 'Suppresses every signal of this look.'),
  'heuristics.patterns.completion': strings(
    [
      '^\\W{0,3}(?:all )?(?:done|finished|success(?:ful(?:ly)?)?|completed?|ready|applied|updated)\\W{0,3}$',
      '\\bexit code 0$',
    ],
    'A completion word, as the whole last row.',
  ),
  'heuristics.patterns.interrupt': strings(
    ['esc to interrupt', 'esc to cancel', 'press esc to stop'],
    'The mark of a running agent, in the live rows.',
  ),
  'heuristics.patterns.interrupt_not': strings(
    [
      '[{}();`]',
      '\\b(?:class|def|function|const|let|var)\\b',
      '\\b(?:submit|confirm|select)\\b',
      '^\\s*(?:[->]|\\d+[.)])\\s',
      '["“”]',
    ],
    'Rows in which that mark does not count: code, quotes, lists, footers of menus.',
  ),
  'heuristics.patterns.approval': strings(
    ['1\\.\\s*Yes', '\\[Y\\]es'],
    'A menu that asks, only where the menu parser finds it live.',
  ),
}
