import { computed, signal } from '@preact/signals'

export type Route =
  | { page: 'overview' }
  | { page: 'sessions' }
  | { page: 'session'; id: string }
  | { page: 'panes' }
  | { page: 'approval'; id: string }
  | { page: 'runs' }
  | { page: 'run'; id: string }
  | { page: 'replay'; id: string }
  | { page: 'compare' }
  | { page: 'compare-runs' }
  | { page: 'usage' }
  | { page: 'graphs' }
  | { page: 'start' }
  | { page: 'settings'; tab: string }
  | { page: 'login' }
  | { page: 'lost'; path: string }

const TABLE: [RegExp, (match: string[]) => Route][] = [
  [/^\/(?:demo)?$/, () => ({ page: 'overview' })],
  [/^\/sessions$/, () => ({ page: 'sessions' })],
  [/^\/s\/([\w-]+)$/, match => ({ page: 'session', id: match[1]! })],
  [/^\/panes$/, () => ({ page: 'panes' })],
  [/^\/a\/([\w-]+)$/, match => ({ page: 'approval', id: match[1]! })],
  [/^\/runs$/, () => ({ page: 'runs' })],
  [/^\/r\/([\w-]+)$/, match => ({ page: 'run', id: match[1]! })],
  [/^\/replay\/([\w-]+)$/, match => ({ page: 'replay', id: match[1]! })],
  [/^\/compare$/, () => ({ page: 'compare' })],
  [/^\/compare\/runs$/, () => ({ page: 'compare-runs' })],
  [/^\/usage$/, () => ({ page: 'usage' })],
  [/^\/graphs$/, () => ({ page: 'graphs' })],
  [/^\/start$/, () => ({ page: 'start' })],
  [/^\/settings(?:\/(\w+))?$/, match => ({ page: 'settings', tab: match[1] ?? 'values' })],
  [/^\/(doctor|people|devices)$/, match => ({ page: 'settings', tab: match[1]! })],
  [/^\/login$/, () => ({ page: 'login' })],
]

const place = signal(read())

export const route = computed<Route>(() => {
  const { path } = place.value
  for (const [pattern, make] of TABLE) {
    const match = pattern.exec(path)
    if (match) return make(match)
  }
  return { page: 'lost', path }
})

/** The parameters after `?`: filters, positions in time, the part of a page that is open. */
export const query = computed(() => new URLSearchParams(place.value.search))

export function go(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  const before = place.peek().path
  place.value = read()
  if (!replace && place.peek().path !== before) window.scrollTo(0, 0)
}

const SOON_MS = 200
let later: Record<string, string | null> = {}
let isWaiting = false

/** Changes parameters of this page's address; null takes one away. */
export function setQuery(changes: Record<string, string | null>, { replace = true } = {}): void {
  const next = new URLSearchParams(place.peek().search)
  // What is said now is newer than what still waits.
  for (const name of Object.keys(changes)) delete later[name]
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  go(`${place.peek().path}${text ? `?${text}` : ''}`, { replace })
}

/** For what changes with every movement of a hand: browsers refuse an address that changes too often. */
export function setQuerySoon(changes: Record<string, string | null>): void {
  const { path } = place.peek()
  later = { ...later, ...changes }
  if (isWaiting) return
  isWaiting = true
  setTimeout(() => {
    const wanted = later
    later = {}
    isWaiting = false
    // Another page is open by now: its address is none of ours.
    if (place.peek().path === path) setQuery(wanted)
  }, SOON_MS)
}

function read(): { path: string; search: string } {
  return { path: location.pathname.replace(/(.)\/$/, '$1'), search: location.search }
}

window.addEventListener('popstate', () => {
  place.value = read()
})

/** Links of ours change the page without loading it; everything else is left to the browser. */
document.addEventListener('click', event => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return
  const link = (event.target as Element | null)?.closest?.('a[href]') as HTMLAnchorElement | null
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return
  event.preventDefault()
  go(link.pathname + link.search + link.hash)
})
