import { effect, type Signal, signal } from '@preact/signals'

/** What this browser likes. Nothing secret and no address ever goes in here. */
function kept<T>(name: string, initial: T): Signal<T> {
  const key = `signalbox.${name}`
  const value = signal<T>(read(key, initial))
  effect(() => {
    try {
      localStorage.setItem(key, JSON.stringify(value.value))
    } catch {
      // A browser that keeps nothing forgets the preference; that is its owner's wish.
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

export const theme = kept<'system' | 'light' | 'dark'>('theme', 'system')
export const hasLetterKeys = kept('letter-keys', true)
export const terminalFontSize = kept('terminal-font-size', 13)
export const isScreenReader = kept('screen-reader', false)
export const wallColumns = kept('wall-columns', 3)
export const hiddenPanes = kept<string[]>('hidden-panes', [])
export const savedRunFilters = kept<{ name: string; query: string }[]>('run-filters', [])
export const sessionLayout = kept<'split' | 'conversation' | 'terminal'>('session-layout', 'split')

effect(() => {
  const root = document.documentElement
  if (theme.value === 'system') delete root.dataset.theme
  else root.dataset.theme = theme.value
})
