import type { Approval } from '../api/types'
import { answersTo } from '../approval/options'
import { decide } from '../store/actions'
import { approvals, onHello } from '../store/live'
import { go } from '../store/router'
import { toast, toastError } from '../store/toasts'
import { getJson } from '../transport/request'

const ANSWERS = 'signalbox-answers'
const ANSWER = '/pressed-answer'
/** An older press was meant for a page that did not open. */
const FRESH_MS = 60_000

/**
 * Carries out what a person pressed in a notification. Only the service worker can hand it over.
 */
export function startAnswering(): void {
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<{ type?: string; url?: string }>) => {
    if (data?.type === 'answer') void takeAnswer()
    // Only paths of the dashboard.
    else if (data?.type === 'open' && data.url?.startsWith('/') && !data.url.startsWith('//')) go(data.url)
  })
  onHello(() => void takeAnswer())
}

async function takeAnswer(): Promise<void> {
  if (!('caches' in globalThis)) return
  const store = await caches.open(ANSWERS)
  const pressed = await store.match(ANSWER)
  if (!pressed) return
  await store.delete(ANSWER)
  const { approval: id, answer, at } = (await pressed.json()) as { approval: string; answer: string; at: number }
  if (Date.now() - at > FRESH_MS) return
  try {
    const approval = approvals.peek(id) ?? (await getJson<Approval>(`/approvals/${id}`))
    await decideAs(approval, answer)
  } catch (error) {
    go(`/a/${id}`)
    toastError(error)
  }
}

/** A risky request is opened instead: a press in a notification has not shown all of it. */
async function decideAs(approval: Approval, answer: string): Promise<void> {
  const { allow, deny } = answersTo(approval)
  const option = answer === 'allow' ? allow : deny
  const mayPress = answer === 'deny' || approval.risk.level === 'low'
  if (approval.state !== 'pending' || !option || !mayPress) return go(`/a/${approval.id}`)
  await decide(approval, { option: option.key, whole: false })
  toast('good', answer === 'allow' ? 'Allowed' : 'Denied')
}
