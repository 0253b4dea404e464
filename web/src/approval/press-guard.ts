import { useEffect, useRef, useState } from 'preact/hooks'
import { announcement } from '../store/toasts'

/**
 * A person needs longer than this to read a card: an earlier press was meant for what was there
 * before.
 */
const STILL_MS = 300
const CHECK_MS = 80
const SAID_MS = 5_000
export const MISSED_PRESS_TEXT = 'This has just appeared or moved. Press again.'

/**
 * All cards are measured together: the first measurement makes the browser do a layout, the others
 * are free.
 */
const checks = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function checkRegularly(check: () => void): () => void {
  checks.add(check)
  timer ??= setInterval(() => {
    for (const each of checks) each()
  }, CHECK_MS)
  return () => {
    checks.delete(check)
    if (checks.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/**
 * Whether a card has not moved on the page for long enough to accept a press. Scrolling does not
 * count as moving.
 */
export function usePressGuard(isArmed: boolean) {
  const [isMissed, setMissed] = useState(false)
  const missed = () => {
    setMissed(true)
    announcement.value = MISSED_PRESS_TEXT
  }
  useEffect(() => {
    if (!isMissed) return
    const end = setTimeout(() => setMissed(false), SAID_MS)
    return () => clearTimeout(end)
  }, [isMissed])
  const box = useRef<HTMLElement>(null)
  const position = useRef<string | null>(null)
  const movedAt = useRef(performance.now())
  const check = () => {
    const element = box.current
    if (!element) return
    const rect = element.getBoundingClientRect()
    const here = `${Math.round(rect.left + scrollX)},${Math.round(rect.top + scrollY)},${Math.round(rect.width)}`
    if (here !== position.current) movedAt.current = performance.now()
    position.current = here
    // For styles and tests.
    const isStill = String(performance.now() - movedAt.current >= STILL_MS)
    if (element.dataset.still !== isStill) element.dataset.still = isStill
  }
  useEffect(() => {
    if (!isArmed) return
    movedAt.current = performance.now()
    check()
    return checkRegularly(check)
  }, [isArmed])
  const mayPress = () => {
    check()
    const isStill = performance.now() - movedAt.current >= STILL_MS
    if (isStill) setMissed(false)
    else missed()
    return isStill
  }
  /** A button that moved away between press and release gets no click: that is said as well. */
  const watchRelease = (event: PointerEvent) => {
    const button = (event.target as Element).closest('button')
    if (!button) return
    const top = button.getBoundingClientRect().top
    addEventListener(
      'pointerup',
      () => {
        if (button.isConnected && button.getBoundingClientRect().top !== top) missed()
      },
      { once: true },
    )
  }
  return { box, mayPress, watchRelease, isMissed }
}
