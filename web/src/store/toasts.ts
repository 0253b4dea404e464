import { signal } from '@preact/signals'
import { ApiError, OfflineError } from '../transport/request'

export interface Toast {
  id: number
  tone: 'info' | 'good' | 'bad'
  text: string
  next?: string
}

export const toasts = signal<readonly Toast[]>([])
/** Text that screen readers announce at once. */
export const announcement = signal('')

const SHOWN_MS = 6_000
let count = 0

export function toast(tone: Toast['tone'], text: string, next?: string): void {
  const id = ++count
  // A repeated message replaces the earlier one: a pile of toasts would cover the page.
  const others = toasts.peek().filter(shown => shown.tone !== tone || shown.text !== text)
  toasts.value = [...others.slice(-3), { id, tone, text, ...(next !== undefined && { next }) }]
  setTimeout(() => dismiss(id), tone === 'bad' ? SHOWN_MS * 2 : SHOWN_MS)
}

export function dismiss(id: number): void {
  toasts.value = toasts.peek().filter(shown => shown.id !== id)
}

export function toastError(error: unknown): void {
  if ((error as Error)?.name === 'AbortError') return
  const next = error instanceof ApiError || error instanceof OfflineError ? error.next : undefined
  toast('bad', sentence((error as Error)?.message ?? String(error)), next)
}

/** Runs an action, and shows a toast when it succeeds (`done`) or fails. */
export async function attempt<T>(act: () => Promise<T>, done?: string): Promise<T | null> {
  try {
    const result = await act()
    if (done !== undefined) toast('good', done)
    return result
  } catch (error) {
    toastError(error)
    return null
  }
}

export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
