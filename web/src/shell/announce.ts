import { effect } from '@preact/signals'
import { needsCount, openApprovals } from '../store/needs'
import { announcement } from '../store/toasts'

const announced = new Set<string>()
let isFirst = true

/**
 * Announces each request once to screen readers, and shows the number of open requests in the tab
 * title.
 */
export function startAnnouncing(): void {
  effect(() => {
    const count = needsCount.value
    document.title = count > 0 ? `(${count}) Signalbox` : 'Signalbox'
  })
  effect(() => {
    const fresh = openApprovals.value.filter(({ id, state }) => state === 'pending' && !announced.has(id))
    for (const { id } of fresh) announced.add(id)
    const last = fresh.at(-1)
    if (last && !isFirst) announcement.value = `Needs you: ${last.display.title}`
    isFirst = false
  })
}
