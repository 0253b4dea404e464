import { talkShare } from '../store/prefs'

const LEAST = 25
const MOST = 75
const STEP = 2

/** Divides the width between conversation and terminal: dragged, or moved with the arrow keys. */
export function Divider() {
  const set = (share: number) => {
    talkShare.value = Math.round(Math.max(LEAST, Math.min(MOST, share)))
  }
  const drag = (event: PointerEvent) => {
    const bar = event.currentTarget as HTMLElement
    if (!bar.hasPointerCapture(event.pointerId)) return
    const { left, width } = bar.parentElement!.getBoundingClientRect()
    set(((event.clientX - left) / width) * 100)
  }
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key]
    if (by === undefined) return
    event.preventDefault()
    set((talkShare.value ?? shareNow(event.currentTarget as HTMLElement)) + by)
  }
  return (
    <div
      class="divider"
      role="separator"
      tabIndex={0}
      aria-label="Width of the conversation"
      aria-orientation="vertical"
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={talkShare.value ?? 35}
      title="Drag to resize; double-click to reset"
      onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDblClick={() => (talkShare.value = null)}
      onKeyDown={onKey}
    />
  )
}

/** The share that the layout chose. */
function shareNow(bar: HTMLElement): number {
  const [all, talk] = [bar.parentElement!, bar.previousElementSibling!]
  return (talk.getBoundingClientRect().width / all.getBoundingClientRect().width) * 100
}
