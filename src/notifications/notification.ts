import type { PaneInfo } from '../supervision/index.js'
import { formatDuration, plural } from '../text/index.js'

/** One notification. It never contains a command line or a secret. */
export interface Notice {
  kind: 'needs-you' | 'done' | 'failed' | 'digest' | 'over'
  pane: string
  title: string
  body: string
  at: number
}

/** Where a notification can be shown besides watching terminals. */
export interface NotificationOutlets {
  /** There is a desktop notifier or a command of the user. */
  readonly hasDesktop: boolean
  desktop(notice: Notice): void
}

const VERBS: Readonly<Record<Notice['kind'], string>> = {
  'needs-you': 'needs you',
  done: 'is done',
  failed: 'failed',
  digest: '',
  over: 'answered',
}
const BODY_MAX = 160

/** Agent, place, and one line of text. */
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
    title: `${pane.agent ?? pane.job ?? 'pane'} ${VERBS[kind]}`,
    body: `${project ? `${project} · ` : ''}${pane.place}@${hostName}${text ? ` · ${text.slice(0, BODY_MAX)}` : ''}`,
    at,
  }
}

/** The outcome and duration of a run. */
export function endText(kind: 'done' | 'failed', pane: PaneInfo): string {
  const took = formatDuration(Math.max(0, pane.since - pane.startedAt))
  return kind === 'failed' && pane.doing !== '' ? `failed after ${took}: ${pane.doing}` : `${kind} after ${took}`
}

/** One notification for everything that quiet hours held back. */
export function digestNotice(held: readonly Notice[], at: number): Notice {
  const titles = held.map(({ title }) => title).join(', ')
  const body = titles.length > BODY_MAX ? `${titles.slice(0, BODY_MAX - 1)}…` : titles
  return { kind: 'digest', pane: '', title: `${plural(held.length, 'run')} ended in your quiet hours`, body, at }
}
