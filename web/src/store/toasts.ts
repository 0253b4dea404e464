import { signal } from '@preact/signals'
import { ApiError, OfflineError } from '../transport/request'

export interface Toast {
  id: number
  tone: 'info' | 'good' | 'bad'
  text: string
  next?: string
}

export const toasts = signal<readonly Toast[]>([])
/** Spoken at once: that somebody is needed. */
export const announcement = signal('')

const SHOWN_MS = 6_000
let count = 0

export function toast(tone: Toast['tone'], text: string, next?: string): void {
  const id = ++count
  // The same again takes the place of the one before: a pile of them would cover what they are about.
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

/** Does it, and says so when it fails. */
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
