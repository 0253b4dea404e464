import { effect, type Signal, signal } from '@preact/signals'

/** A preference that is saved in this browser. Never contains secrets or addresses. */
function saved<T>(name: string, initial: T): Signal<T> {
  const key = `signalbox.${name}`
  const value = signal<T>(read(key, initial))
  effect(() => {
    try {
      localStorage.setItem(key, JSON.stringify(value.value))
    } catch {
      // Storage is disabled in this browser: the preference lasts until the page is closed.
    }
  })
  return value
}

function read<T>(key: string, initial: T): T {
  try {
    const text = localStorage.getItem(key)
    return text === null ? initial : (JSON.parse(text) as T)
  } catch {
    return initial
  }
}

export const theme = saved<'system' | 'light' | 'dark'>('theme', 'system')
export const hasLetterKeys = saved('letter-keys', true)
export const terminalFontSize = saved('terminal-font-size', 13)
export const isScreenReader = saved('screen-reader', false)
export const wallColumns = saved('wall-columns', 3)
export const hiddenPanes = saved<string[]>('hidden-panes', [])
export const savedRunFilters = saved<{ name: string; query: string }[]>('run-filters', [])
export const sessionLayout = saved<'split' | 'conversation' | 'terminal'>('session-layout', 'split')

effect(() => {
  const root = document.documentElement
  if (theme.value === 'system') delete root.dataset.theme
  else root.dataset.theme = theme.value
})
