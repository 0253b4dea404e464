import type { PaneInfo } from '../supervision/index.js'
import { formatDuration, plural } from '../text/index.js'

/** One notification. It never contains a command line or a secret. */
export interface PaneNotification {
  kind: 'needs-you' | 'done' | 'failed' | 'digest' | 'over'
  pane: string
  title: string
  body: string
  at: number
  project: string
  agent: string | null
  /** The path of what it is about, in the dashboard. */
  url: string
  /** The request that waits. */
  approval?: string
}

/** Where a notification can be shown besides watching terminals. */
export interface NotificationOutlets {
  /**
   * There is a desktop notifier, a command of the user, a browser that subscribed, or a webhook.
   */
  readonly hasOutlet: boolean
  send(notice: PaneNotification): void
  /** The chats of the bot, for tmux panes: sessions have cards of their own there. */
  telegram(notice: PaneQuestion): void
}

/** A question of a tmux pane, for chats: one message for each question, edited when it is over. */
export interface PaneQuestion {
  pane: string
  question: string
  kind: 'needs-you' | 'over'
  title: string
  place: string
  /** What the pane asks. */
  text: string
  /** Sent again, because the question is still open. */
  isReminder?: boolean
}

const VERBS: Readonly<Record<PaneNotification['kind'], string>> = {
  'needs-you': 'needs you',
  done: 'is done',
  failed: 'failed',
  digest: '',
  over: 'answered',
}
const BODY_MAX = 160

/** The agent; project, name, and one line of text. */
export function paneNotification(
  kind: PaneNotification['kind'],
  pane: PaneInfo,
  text: string,
  at: number,
): PaneNotification {
  const parts = [projectOf(pane), pane.name || pane.place, text ? text.slice(0, BODY_MAX) : '']
  const body = parts.filter(part => part !== '').join(' · ')
  return {
    kind,
    pane: pane.id,
    title: titleOf(kind, pane),
    body,
    at,
    project: projectOf(pane),
    agent: pane.agent,
    url: urlOf(pane),
    ...(pane.approval != null && { approval: pane.approval }),
  }
}

export function paneQuestion(
  kind: PaneQuestion['kind'],
  pane: PaneInfo,
  text: string,
  { hostName, question }: { hostName: string; question: string },
): PaneQuestion {
  return {
    pane: pane.id,
    question,
    kind,
    title: titleOf(kind, pane),
    place: placeOf(pane, hostName),
    text: text.slice(0, BODY_MAX),
  }
}

function titleOf(kind: PaneNotification['kind'], pane: PaneInfo): string {
  return `${pane.agent ?? pane.job ?? 'pane'} ${VERBS[kind]}`
}

function projectOf(pane: PaneInfo): string {
  return pane.cwd.slice(pane.cwd.lastIndexOf('/') + 1)
}

function urlOf(pane: PaneInfo): string {
  if (pane.approval != null) return `/a/${pane.approval}`
  return pane.source === 'session' ? `/s/${pane.id}` : '/sessions?view=wall'
}

function placeOf(pane: PaneInfo, hostName: string): string {
  const project = projectOf(pane)
  return `${project ? `${project} · ` : ''}${pane.place}@${hostName}`
}

/** The outcome and duration of the work. */
export function endText(kind: 'done' | 'failed', pane: PaneInfo): string {
  const took = formatDuration(Math.max(0, pane.since - pane.startedAt))
  return kind === 'failed' && pane.doing !== '' ? `failed after ${took}: ${pane.doing}` : `${kind} after ${took}`
}

/** One notification for everything that quiet hours delayed. */
export function digestNotification(delayed: readonly PaneNotification[], at: number): PaneNotification {
  const titles = delayed.map(({ title }) => title).join(', ')
  const body = titles.length > BODY_MAX ? `${titles.slice(0, BODY_MAX - 1)}…` : titles
  const title = `${plural(delayed.length, 'notification')} during your quiet hours`
  return { kind: 'digest', pane: '', title, body, at, project: '', agent: null, url: '/' }
}
