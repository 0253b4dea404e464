import { effect } from '@preact/signals'
import { needsCount, openApprovals } from '../store/needs'
import { announcement } from '../store/toasts'

const said = new Set<string>()
let isFirst = true

/** Each request is announced once, and the tab says how many wait. */
export function startAnnouncing(): void {
  effect(() => {
    const count = needsCount.value
    document.title = count > 0 ? `(${count}) Signalbox` : 'Signalbox'
  })
  effect(() => {
    const fresh = openApprovals.value.filter(({ id, state }) => state === 'pending' && !said.has(id))
    for (const { id } of fresh) said.add(id)
    const last = fresh.at(-1)
    if (last && !isFirst) announcement.value = `Needs you: ${last.display.title}`
    isFirst = false
  })
}
