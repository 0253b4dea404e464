import { signal } from '@preact/signals'

/** The current time, updated every second while the page is visible. */
export const now = signal(Date.now())

setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now()
}, 1000)
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') now.value = Date.now()
})
