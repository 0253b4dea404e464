import { useEffect, useRef } from 'preact/hooks'

/** Nobody reads a card in less: a press in this time was meant for what stood there before. */
export const QUIET_MS = 300
const LOOK_MS = 80

/** Whether a card has stood still, at its place on the page, for long enough to be pressed. Scrolling is the person's own doing. */
export function usePressGuard(isArmed: boolean) {
  const box = useRef<HTMLElement>(null)
  const place = useRef<string | null>(null)
  const movedAt = useRef(performance.now())
  const look = () => {
    const rect = box.current?.getBoundingClientRect()
    if (!rect) return
    const here = `${Math.round(rect.left + scrollX)},${Math.round(rect.top + scrollY)},${Math.round(rect.width)}`
    if (here !== place.current) movedAt.current = performance.now()
    place.current = here
    // Told to styles and tests.
    if (box.current) box.current.dataset.still = String(performance.now() - movedAt.current >= QUIET_MS)
  }
  useEffect(() => {
    if (!isArmed) return
    movedAt.current = performance.now()
    look()
    const timer = setInterval(look, LOOK_MS)
    return () => clearInterval(timer)
  }, [isArmed])
  const mayPress = () => {
    look()
    return performance.now() - movedAt.current >= QUIET_MS
  }
  return { box, mayPress }
}
