import { postJson } from '../transport/request'
import { isOnline, streamSubscription } from './live'

const REPORT_MS = 20_000
let lastInput = performance.now()

/** Reports that a person uses this page, so that the server does not notify them elsewhere. */
export function startPresence(): void {
  for (const kind of ['pointerdown', 'keydown', 'wheel'] as const)
    addEventListener(kind, () => (lastInput = performance.now()), { passive: true, capture: true })
  setInterval(report, REPORT_MS)
  document.addEventListener('visibilitychange', report)
}

function report(): void {
  const subscription = streamSubscription()
  if (!subscription || !isOnline.peek()) return
  void postJson('/presence', {
    subscription,
    visible: document.visibilityState === 'visible',
    focused: document.hasFocus(),
    inputAgoMs: Math.round(performance.now() - lastInput),
  }).catch(() => undefined)
}
