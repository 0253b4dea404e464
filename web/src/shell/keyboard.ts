import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { cardKeys } from '../approval/card-keys'
import { hasLetterKeys } from '../store/prefs'
import { go } from '../store/router'
import { PAGES } from './nav'

export const isHelpOpen = signal(false)
export const isPaletteOpen = signal(false)

export interface PageKeys {
  move?(step: 1 | -1): void
  open?(): void
  select?(): void
  explain?(): void
  actions?(): void
}

let pageKeys: PageKeys = {}
let isGoPressed = false
let goTimer: ReturnType<typeof setTimeout> | undefined

/** The keys of a page, while it is shown. */
export function usePageKeys(keys: PageKeys): void {
  useEffect(() => {
    pageKeys = { actions: openActions, ...keys }
    return () => {
      pageKeys = {}
    }
  })
}

interface SelectedItem {
  /** As of the last drawing. */
  drawn: string | null
  /** What the next key acts on, also if the page has not been drawn since the last key. */
  now(): string | null
  move(step: 1 | -1): string | null
}

/** The selected item of a list, by id: it stays the same item while others appear before it. */
export function useSelectedItem(ids: readonly string[]): SelectedItem {
  const [drawn, setDrawn] = useState<string | null>(null)
  const last = useRef<{ id: string | null; index: number }>({ id: null, index: -1 })
  const indexNow = ids.indexOf(last.current.id ?? '')
  if (indexNow >= 0) last.current.index = indexNow
  const move = (step: 1 | -1) => {
    const index = ids.indexOf(last.current.id ?? '')
    // The item after one that has gone is in its place.
    const from = index >= 0 ? index : step > 0 ? last.current.index - 1 : last.current.index
    const next = Math.max(0, Math.min(ids.length - 1, from + step))
    last.current = { id: ids[next] ?? null, index: next }
    setDrawn(last.current.id)
    return last.current.id
  }
  return { drawn, now: () => last.current.id, move }
}

/** Opens the menu of the selected card, else the first one in the head of the page. */
function openActions(): void {
  const menus = ['.card.is-picked', '.page-head'].map(box => `${box} [aria-haspopup="true"]`)
  menus
    .map(menu => document.querySelector<HTMLElement>(menu))
    .find(Boolean)
    ?.click()
}

export function startKeyboard(): void {
  document.addEventListener('keydown', event => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      isPaletteOpen.value = true
      return
    }
    if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
    if (document.querySelector('dialog[open]')) return
    if (!hasLetterKeys.value && event.key !== '?' && event.key !== 'Escape') return
    if (handle(event.key)) event.preventDefault()
  })
}

function handle(key: string): boolean {
  if (isGoPressed) {
    isGoPressed = false
    clearTimeout(goTimer)
    const page = PAGES.find(candidate => candidate.key === key)
    if (page) go(page.href)
    return page !== undefined
  }
  switch (key) {
    case '?':
      isHelpOpen.value = true
      return true
    case 'g':
      isGoPressed = true
      goTimer = setTimeout(() => {
        isGoPressed = false
      }, 1_500)
      return true
    case '/': {
      const field = document.querySelector<HTMLElement>('[data-search]')
      if (field) field.focus()
      else isPaletteOpen.value = true
      return true
    }
    case 'j':
    case 'k':
      pageKeys.move?.(key === 'j' ? 1 : -1)
      return pageKeys.move !== undefined
    case 'Enter':
      if (document.activeElement && document.activeElement !== document.body) return false
      pageKeys.open?.()
      return pageKeys.open !== undefined
    case 'a':
      cardKeys()?.allow()
      return cardKeys() !== null
    case 'd':
      cardKeys()?.deny()
      return cardKeys() !== null
    case 'D':
      cardKeys()?.denyWithReason()
      return cardKeys() !== null
    case 'x':
      pageKeys.select?.()
      return pageKeys.select !== undefined
    case 'e':
      pageKeys.explain?.()
      return pageKeys.explain !== undefined
    case '.':
      pageKeys.actions?.()
      return pageKeys.actions !== undefined
    default:
      return false
  }
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null
  if (!element?.closest) return false
  return element.closest('input, textarea, select, [contenteditable], .terminal-box') !== null
}
