import { effect, signal } from '@preact/signals'
import { requestTitle } from '../../../src/approvals/request-title'
import { budgetSentence } from '../../../src/text/budget-words'
import { baseName } from '../api/format'
import type { Approval, Pane, PushState, PushSubscriptionInfo, Session } from '../api/types'
import { answersTo } from '../approval/options'
import { requestParts } from '../approval/request-parts'
import { openApprovals, panesThatNeedYou, pausedSessions } from '../store/needs'
import { isNotifying, isSounding } from '../store/prefs'
import { sessionName } from '../store/session-name'
import { getJson, postJson, sendDelete } from '../transport/request'
import { playSound } from './sound'

/** `unsupported`: the browser cannot, or the page is neither local nor over HTTPS. */
export type Permission = NotificationPermission | 'unsupported'

export const permission = signal<Permission>('Notification' in globalThis ? Notification.permission : 'unsupported')

const shown = new Set<string>()
let isFirst = true

/**
 * Notifies of each request and each pane that needs you, once, while this page is open and not
 * looked at. The server notifies while it is closed (web push); equal tags replace each other.
 */
export function startNotifying(): void {
  effect(() => {
    const pending = openApprovals.value.filter(({ state }) => state === 'pending')
    const waiting = panesThatNeedYou.value
    const all = [...pending, ...waiting, ...pausedSessions.value].map(noticeOf)
    const fresh = all.filter(({ tag }) => !shown.has(tag))
    for (const { tag } of fresh) shown.add(tag)
    const open = new Set(all.map(({ tag }) => tag))
    for (const id of shown) if (!open.has(id)) forget(id)
    // What waited before the page was opened is on the page.
    if (!isFirst && fresh.length > 0 && !isPageVisible()) {
      if (isSounding.peek()) playSound()
      for (const notice of fresh) void notify(notice)
    }
    isFirst = false
  })
}

function isPageVisible(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus()
}

interface Notice {
  title: string
  body: string
  tag: string
  url: string
  approval?: string
  answers: ('allow' | 'deny')[]
}

function noticeOf(item: Approval | Pane | Session): Notice {
  if ('subject' in item) return ofRequest(item)
  return 'source' in item ? ofPane(item) : ofPaused(item)
}

function ofPaused(session: Session): Notice {
  return {
    title: `${baseName(session.project)}: “${sessionName(session)}” is paused`,
    body: budgetSentence(session.paused!),
    tag: `paused/${session.id}`,
    url: `/s/${session.id}`,
    answers: [],
  }
}

function ofRequest(approval: Approval): Notice {
  const { command, diffs, texts, facts } = requestParts(approval)
  const { allow, deny, isQuestion } = answersTo(approval)
  const body = command?.text ?? diffs[0]?.file ?? texts[0]?.text ?? facts[0]?.text ?? ''
  const mayAllow = allow && !isQuestion && approval.risk.level === 'low' && !approval.terminalOnly
  return {
    title: `${baseName(approval.subject.project)}: ${requestTitle(approval)}`,
    body: body.slice(0, 180),
    tag: approval.id,
    url: `/a/${approval.id}`,
    approval: approval.id,
    answers: [
      ...(mayAllow ? (['allow'] as const) : []),
      ...(deny && !isQuestion && deny.takes === undefined ? (['deny'] as const) : []),
    ],
  }
}

function ofPane(pane: Pane): Notice {
  return {
    title: `${baseName(pane.cwd)}: ${pane.agent ?? pane.command} needs you`,
    body: pane.doing || pane.title,
    tag: pane.id,
    url: pane.source === 'session' ? `/s/${pane.id}` : '/sessions?view=wall',
    answers: [],
  }
}

const LABELS = { allow: 'Allow once', deny: 'Deny' } as const

async function notify({ title, body, tag, url, approval, answers }: Notice): Promise<void> {
  if (!isNotifying.peek() || permission.peek() !== 'granted') return
  const worker = await navigator.serviceWorker?.getRegistration()
  await worker?.showNotification(title, {
    body,
    tag,
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    data: { url, approval },
    actions: answers.map(action => ({ action, title: LABELS[action] })),
  } as NotificationOptions)
}

/** The request is decided: its notification is closed. */
function forget(id: string): void {
  shown.delete(id)
  void navigator.serviceWorker
    ?.getRegistration()
    .then(worker => worker?.getNotifications({ tag: id }))
    .then(notices => notices?.forEach(notice => notice.close()))
    .catch(() => undefined)
}

/**
 * Asks the browser for permission; the subscription lets the server notify while the page is
 * closed.
 */
export async function enableNotifications(): Promise<void> {
  if (!('Notification' in globalThis)) return
  permission.value = await Notification.requestPermission()
  isNotifying.value = permission.value === 'granted'
  if (permission.value === 'granted') await subscribe()
}

export async function disableNotifications(): Promise<void> {
  isNotifying.value = false
  const subscription = await current()
  if (!subscription) return
  const { items } = await getJson<PushState>('/push')
  await subscription.unsubscribe()
  const mine = items.find(({ id }) => id === subscribedId())
  if (mine) await sendDelete(`/push/subscriptions/${mine.id}`)
}

const ID_KEY = 'signalbox.push-id'

function subscribedId(): string | null {
  return localStorage.getItem(ID_KEY)
}

async function current(): Promise<PushSubscription | null> {
  const worker = await navigator.serviceWorker?.getRegistration()
  return (await worker?.pushManager?.getSubscription()) ?? null
}

/** A browser without a push service still notifies while the page is open. */
async function subscribe(): Promise<void> {
  const worker = await navigator.serviceWorker?.ready
  if (!worker?.pushManager) return
  const { publicKey } = await getJson<PushState>('/push')
  const made = await worker.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
    .catch(() => null)
  if (!made) return
  const { endpoint, keys } = made.toJSON()
  const { id } = await postJson<PushSubscriptionInfo>('/push/subscriptions', { endpoint, keys, device: deviceName() })
  localStorage.setItem(ID_KEY, id)
}

function deviceName(): string {
  const agent = navigator.userAgent
  const browser = /Firefox|Edg|Chrome|Safari/.exec(agent)?.[0]?.replace('Edg', 'Edge') ?? 'Browser'
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(agent)?.[0]?.replace('Mac OS X', 'macOS')
  return system ? `${browser} on ${system}` : browser
}
