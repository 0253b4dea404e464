import { effect } from '@preact/signals'
import { requestTitle } from '../../../src/approvals/request-title'
import { baseName } from '../api/format'
import type { Approval } from '../api/types'
import { runs, sessions } from '../store/live'
import { needsCount, openApprovals } from '../store/needs'
import { type Route, route } from '../store/router'
import { sessionName } from '../store/session-name'
import { announcement } from '../store/toasts'
import { PAGES } from './nav'

const announced = new Set<string>()
let isFirst = true

/**
 * Announces each request once to screen readers, and shows in the tab what needs you, and what it
 * is.
 */
export function startAnnouncing(): void {
  effect(() => {
    document.title = tabTitle()
  })
  effect(() => {
    setBadge(needsCount.value)
  })
  effect(() => {
    const fresh = openApprovals.value.filter(({ id, state }) => state === 'pending' && !announced.has(id))
    for (const { id } of fresh) announced.add(id)
    const last = fresh.at(-1)
    if (last && !isFirst) announcement.value = `Needs you: ${requestTitle(last)}`
    isFirst = false
  })
}

/** `● shop: needs you`, else the name of the page: ten tabs do not look the same. */
function tabTitle(): string {
  const waiting = openApprovals.value.filter(({ state }) => state === 'pending')
  const here = pageTitle(route.value)
  if (needsCount.value === 0) return here === null ? 'Signalbox' : `${here} · Signalbox`
  const subjects = new Set(waiting.map(subjectOf))
  const [only] = subjects
  const isOne = subjects.size === 1 && needsCount.value === waiting.length
  const needs = isOne ? `${only}: needs you` : `${needsCount.value} ${needsCount.value === 1 ? 'needs' : 'need'} you`
  return here === null || route.value.page === 'overview' ? `● ${needs}` : `● ${here} · ${needs}`
}

/** A run works in a copy of its project, which is named after its id: the run has a title. */
function subjectOf({ subject }: Approval): string {
  const run = subject.run === undefined ? undefined : runs.get(subject.run)
  return run?.title ?? baseName(subject.project)
}

function pageTitle(here: Route): string | null {
  if (here.page === 'session' || here.page === 'replay') {
    const session = sessions.get(here.id)
    return session ? sessionName(session) : null
  }
  if (here.page === 'run') return runs.get(here.id)?.title ?? null
  if (here.page === 'start') return 'Start'
  if (here.page === 'search') return 'Search'
  return PAGES.find(({ pages }) => (pages as readonly string[]).includes(here.page))?.label ?? null
}

/** The number on the icon of the installed app, and a dot on the icon of the tab. */
function setBadge(count: number): void {
  const { setAppBadge, clearAppBadge } = navigator as Partial<Pick<Navigator, 'setAppBadge' | 'clearAppBadge'>>
  if (count > 0) void setAppBadge?.call(navigator, count).catch(() => undefined)
  else void clearAppBadge?.call(navigator).catch(() => undefined)
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const wanted = count > 0 ? '/favicon-needs.svg' : '/favicon.svg'
  if (icon && !icon.href.endsWith(wanted)) icon.href = wanted
}
