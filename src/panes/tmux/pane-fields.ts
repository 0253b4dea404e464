/** A pane as tmux describes it. */
export interface TmuxPaneInfo {
  /** `%3` */
  pane: string
  /** `main:1.0`, as tmux commands accept it. */
  place: string
  session: string
  window: string
  tty: string
  pid: number
  cols: number
  rows: number
  /**
   * Copy mode, or another mode of tmux: the person is reading, and keys do not reach the program.
   */
  isInMode: boolean
  isAlternate: boolean
  /** A person sees it: the active pane of the active window of an attached session. */
  isFocused: boolean
  dead: { status: number | null } | null
  command: string
  cwd: string
  title: string
}

const NUMBERS = [
  'pane_id',
  'pane_pid',
  'pane_width',
  'pane_height',
  'pane_in_mode',
  'alternate_on',
  'pane_active',
  'window_active',
  'session_attached',
  'pane_dead',
  'pane_dead_status',
  'window_index',
  'pane_index',
  'pane_tty',
] as const
const TEXTS = ['session_name', 'window_name', 'pane_current_command', 'pane_current_path', 'pane_title'] as const

/** Numbers with bars, then texts with tabs, which only the last may contain. */
export const PANE_FORMAT = `${NUMBERS.map(name => `#{${name}}`).join('|')}\\t${TEXTS.map(name => `#{${name}}`).join('\\t')}`

/** Null if the line does not have the format. `ours`: how many clients of the session are ours. */
export function parsePane(line: string, ours: number): TmuxPaneInfo | null {
  const [head = '', session, window, command, cwd, ...title] = line.split('\t')
  const fields = head.split('|')
  if (fields.length !== NUMBERS.length || session === undefined || window === undefined) return null
  const value = (name: (typeof NUMBERS)[number]) => fields[NUMBERS.indexOf(name)]!
  const pane = value('pane_id')
  if (!/^%\d+$/.test(pane)) return null
  const isOn = (name: (typeof NUMBERS)[number]) => Number(value(name)) > 0
  return {
    pane,
    place: `${session}:${value('window_index')}.${value('pane_index')}`,
    session,
    window,
    tty: value('pane_tty'),
    pid: Number(value('pane_pid')),
    cols: Math.max(1, Number(value('pane_width'))),
    rows: Math.max(1, Number(value('pane_height'))),
    isInMode: isOn('pane_in_mode'),
    isAlternate: isOn('alternate_on'),
    isFocused: isOn('pane_active') && isOn('window_active') && Number(value('session_attached')) > ours,
    dead: isOn('pane_dead')
      ? { status: value('pane_dead_status') === '' ? null : Number(value('pane_dead_status')) }
      : null,
    command: command ?? '',
    cwd: cwd ?? '',
    title: title.join('\t'),
  }
}
