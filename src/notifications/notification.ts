import type { PaneInfo } from '../supervision/index.js'
import { formatDuration, plural } from '../text/index.js'

/** One call to a person. Never a command line, never a secret. */
export interface Notice {
  kind: 'needs-you' | 'done' | 'failed' | 'digest' | 'over'
  pane: string
  title: string
  body: string
  at: number
}

/** Where a notice can go besides the terminals that watch. */
export interface NoticeOutlets {
  /** Desktop and the person's own command; empty where there is neither. */
  readonly hasDesktop: boolean
  desktop(notice: Notice): void
}

const WORDS: Readonly<Record<Notice['kind'], string>> = {
  'needs-you': 'needs you',
  done: 'is done',
  failed: 'failed',
  digest: '',
  over: 'answered',
}
const BODY_MAX = 160

/** Who, where, and one line about what. */
export function paneNotice(
  kind: Notice['kind'],
  pane: PaneInfo,
  text: string,
  { hostName, at }: { hostName: string; at: number },
): Notice {
  const project = pane.cwd.slice(pane.cwd.lastIndexOf('/') + 1)
  return {
    kind,
    pane: pane.id,
    title: `${pane.agent ?? pane.job ?? 'pane'} ${WORDS[kind]}`,
    body: `${project ? `${project} · ` : ''}${pane.place}@${hostName}${text ? ` · ${text.slice(0, BODY_MAX)}` : ''}`,
    at,
  }
}

/** How a run ended, and how long it took. */
export function endText(kind: 'done' | 'failed', pane: PaneInfo): string {
  const took = formatDuration(Math.max(0, pane.since - pane.startedAt))
  return kind === 'failed' && pane.doing !== '' ? `failed after ${took}: ${pane.doing}` : `${kind} after ${took}`
}

/** Everything that quiet hours held back, as one. */
export function digestNotice(held: readonly Notice[], at: number): Notice {
  const titles = held.map(({ title }) => title).join(', ')
  const body = titles.length > BODY_MAX ? `${titles.slice(0, BODY_MAX - 1)}…` : titles
  return { kind: 'digest', pane: '', title: `${plural(held.length, 'run')} ended in your quiet hours`, body, at }
}
