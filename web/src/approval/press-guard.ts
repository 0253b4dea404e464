import { useEffect, useRef } from 'preact/hooks'

/** Nobody reads a card in less: a press in this time was meant for what stood there before. */
export const QUIET_MS = 300
const LOOK_MS = 80

/** Cards are looked at together: asking where one stands makes the page lay itself out, and asking again right after costs nothing. */
const looks = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function lookRegularly(look: () => void): () => void {
  looks.add(look)
  timer ??= setInterval(() => {
    for (const each of looks) each()
  }, LOOK_MS)
  return () => {
    looks.delete(look)
    if (looks.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Whether a card has stood still, at its place on the page, for long enough to be pressed. Scrolling is the person's own doing. */
export function usePressGuard(isArmed: boolean) {
  const box = useRef<HTMLElement>(null)
  const place = useRef<string | null>(null)
  const movedAt = useRef(performance.now())
  const look = () => {
    const element = box.current
    if (!element) return
    const rect = element.getBoundingClientRect()
    const here = `${Math.round(rect.left + scrollX)},${Math.round(rect.top + scrollY)},${Math.round(rect.width)}`
    if (here !== place.current) movedAt.current = performance.now()
    place.current = here
    // Told to styles and tests.
    const isStill = String(performance.now() - movedAt.current >= QUIET_MS)
    if (element.dataset.still !== isStill) element.dataset.still = isStill
  }
  useEffect(() => {
    if (!isArmed) return
    movedAt.current = performance.now()
    look()
    return lookRegularly(look)
  }, [isArmed])
  const mayPress = () => {
    look()
    return performance.now() - movedAt.current >= QUIET_MS
  }
  return { box, mayPress }
}
