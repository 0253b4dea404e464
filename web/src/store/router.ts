import { computed, signal } from '@preact/signals'

export type Route =
  | { page: 'overview' }
  | { page: 'sessions'; view: 'list' | 'wall' | null }
  | { page: 'session'; id: string }
  | { page: 'approval'; id: string }
  | { page: 'requests' }
  | { page: 'runs' }
  | { page: 'run'; id: string }
  | { page: 'replay'; id: string }
  | { page: 'compare' }
  | { page: 'compare-runs' }
  | { page: 'usage' }
  | { page: 'workers' }
  | { page: 'graphs' }
  | { page: 'search' }
  | { page: 'start' }
  | { page: 'settings'; tab: string }
  | { page: 'login' }
  | { page: 'shared' }
  | { page: 'not-found'; path: string }

const ROUTES: [RegExp, (match: string[]) => Route][] = [
  [/^\/(?:demo)?$/, () => ({ page: 'overview' })],
  [/^\/sessions$/, () => ({ page: 'sessions', view: null })],
  [/^\/panes$/, () => ({ page: 'sessions', view: 'wall' })],
  [/^\/s\/([\w-]+)$/, match => ({ page: 'session', id: match[1]! })],
  [/^\/(?:a|approvals)\/([\w-]+)$/, match => ({ page: 'approval', id: match[1]! })],
  [/^\/requests$/, () => ({ page: 'requests' })],
  [/^\/runs$/, () => ({ page: 'runs' })],
  [/^\/r\/([\w-]+)$/, match => ({ page: 'run', id: match[1]! })],
  [/^\/replay\/([\w-]+)$/, match => ({ page: 'replay', id: match[1]! })],
  [/^\/compare$/, () => ({ page: 'compare' })],
  [/^\/compare\/runs$/, () => ({ page: 'compare-runs' })],
  [/^\/workers$/, () => ({ page: 'workers' })],
  [/^\/usage$/, () => ({ page: 'usage' })],
  [/^\/graphs$/, () => ({ page: 'graphs' })],
  [/^\/search$/, () => ({ page: 'search' })],
  [/^\/start$/, () => ({ page: 'start' })],
  [/^\/settings(?:\/(\w+))?$/, match => ({ page: 'settings', tab: match[1] ?? 'values' })],
  [/^\/(doctor|people|devices)$/, match => ({ page: 'settings', tab: match[1]! })],
  [/^\/login$/, () => ({ page: 'login' })],
  [/^\/share$/, () => ({ page: 'shared' })],
]

const here = signal(read())

export const route = computed<Route>(() => {
  const { path } = here.value
  for (const [pattern, make] of ROUTES) {
    const match = pattern.exec(path)
    if (match) return make(match)
  }
  return { page: 'not-found', path }
})

/** The parameters of the address: filters, positions in time, the open part of a page. */
export const query = computed(() => new URLSearchParams(here.value.search))

export function go(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  const before = here.peek().path
  here.value = read()
  if (!replace && here.peek().path !== before) window.scrollTo(0, 0)
}

const SOON_MS = 200
let delayed: Record<string, string | null> = {}
let isWaiting = false

/** Changes parameters of the address; null removes one. */
export function setQuery(changes: Record<string, string | null>, { replace = true } = {}): void {
  const next = new URLSearchParams(here.peek().search)
  // This change is newer than the delayed ones.
  for (const name of Object.keys(changes)) delete delayed[name]
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  go(`${here.peek().path}${text ? `?${text}` : ''}`, { replace })
}

/**
 * For values that change with every pointer movement: browsers refuse an address that changes too
 * often.
 */
export function setQuerySoon(changes: Record<string, string | null>): void {
  const { path } = here.peek()
  delayed = { ...delayed, ...changes }
  if (isWaiting) return
  isWaiting = true
  setTimeout(() => {
    const wanted = delayed
    delayed = {}
    isWaiting = false
    // Does nothing if another page was opened in the meantime.
    if (here.peek().path === path) setQuery(wanted)
  }, SOON_MS)
}

function read(): { path: string; search: string } {
  return { path: location.pathname.replace(/(.)\/$/, '$1'), search: location.search }
}

window.addEventListener('popstate', () => {
  here.value = read()
})

/**
 * Links within the dashboard change the page without loading it; the browser handles all others.
 */
document.addEventListener('click', event => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return
  const link = (event.target as Element | null)?.closest?.('a[href]') as HTMLAnchorElement | null
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
  event.preventDefault()
  go(link.pathname + link.search + link.hash)
})
