import { postJson } from '../transport/request'
import { isOnline, streamSubscription } from './live'

const TELL_MS = 20_000
let lastInput = performance.now()

/** While somebody looks at this page, the server does not call them elsewhere. */
export function startPresence(): void {
  for (const kind of ['pointerdown', 'keydown', 'wheel'] as const)
    addEventListener(kind, () => (lastInput = performance.now()), { passive: true, capture: true })
  setInterval(tell, TELL_MS)
  document.addEventListener('visibilitychange', tell)
}

function tell(): void {
  const subscription = streamSubscription()
  if (!subscription || !isOnline.peek()) return
  void postJson('/presence', {
    subscription,
    visible: document.visibilityState === 'visible',
    focused: document.hasFocus(),
    inputAgoMs: Math.round(performance.now() - lastInput),
  }).catch(() => undefined)
}
