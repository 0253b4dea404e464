import { signal } from '@preact/signals'

/** The wall clock in whole seconds, for ages. It stands still while nobody looks. */
export const now = signal(Date.now())

setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now()
}, 1000)
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') now.value = Date.now()
})
