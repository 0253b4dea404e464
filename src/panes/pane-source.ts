/*
 * Where panes come from. A source lists panes and feeds them; what they are doing is decided behind
 * it, the same for all of them. Sessions of our own and tmux are built in; another terminal joins
 * by an adapter that speaks this interface, for example over the NDJSON of a helper process (`list
 * open send focus rename`).
 *
 * iTerm2, for whoever writes that adapter. Variables of a session, fetched together each
 * `panes.poll_s`, each failure for itself:
 *
 *   jobName, jobPid, commandLine   need shell integration; missing is null, never an error
 *   tty                            always there
 *   path, name, session.id
 *
 * Session ids arrive as `w0t1p0:UUID`: the prefix names a place that changes, the rest is the id.
 * Content comes as screens, no-break spaces kept and without attributes unless the helper sends
 * them. A change of focus is a `focus` event.
 */
export interface PaneSource {
  readonly name: 'session' | 'tmux' | 'iterm2'
  list(): Promise<SourcePane[]>
  open(id: string): PaneFeed
  send?(id: string, bytes: Uint8Array): Promise<void>
  focus?(id: string): Promise<void>
  rename?(id: string, name: string): Promise<void>
}

export interface SourcePane {
  id: string
  title: string
  cwd: string | null
  tty: string | null
  cols: number
  rows: number
  window: string
  tab: string
  isFocused: boolean
  isDead: boolean
  job: { name: string | null; pid: number | null; commandLine: string | null }
}

export type PaneFeed = AsyncIterable<PaneFeedEvent>

export type PaneFeedEvent =
  | { type: 'bytes'; bytes: Uint8Array }
  | { type: 'screen'; rows: readonly string[]; cursor: { x: number; y: number } | null }
  | { type: 'resize'; cols: number; rows: number }
  | { type: 'meta'; pane: SourcePane }
  | { type: 'focus'; isFocused: boolean }
  | { type: 'exit'; code: number | null; signal: string | null }
  /** What follows stands on its own; what came before may have holes. */
  | { type: 'resync' }

/** What iTerm2 says of one session. Any of it may be missing. */
export type ItermVariables = Readonly<
  Partial<
    Record<
      'session.id' | 'name' | 'jobName' | 'jobPid' | 'commandLine' | 'tty' | 'path' | 'columns' | 'rows' | 'tab',
      string | number | null
    >
  >
>

/** The id of a session without the place before it. */
export function itermSessionId(word: string): string {
  return word.slice(word.indexOf(':') + 1)
}

/** A session of iTerm2 as a pane. Null: without an id it is none. */
export function paneOfIterm(variables: ItermVariables, isFocused: boolean): SourcePane | null {
  const text = (name: keyof ItermVariables) => {
    const value = variables[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
  const count = (name: keyof ItermVariables) => {
    const value = Number(variables[name] ?? Number.NaN)
    return Number.isInteger(value) && value > 0 ? value : null
  }
  const id = text('session.id')
  if (id === null) return null
  return {
    id: itermSessionId(id),
    title: text('name') ?? '',
    cwd: text('path'),
    tty: text('tty'),
    cols: count('columns') ?? 80,
    rows: count('rows') ?? 24,
    window: '',
    tab: text('tab') ?? '',
    isFocused,
    isDead: false,
    job: { name: text('jobName'), pid: count('jobPid'), commandLine: text('commandLine') },
  }
}
