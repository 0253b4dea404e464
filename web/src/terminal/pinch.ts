/** Pinching with two fingers changes the size. One finger scrolls. */
export function onPinch(element: HTMLElement, target: { size(): number; resize(to: number): void }): () => void {
  let start: { apart: number; size: number } | null = null
  const move = (event: TouchEvent) => {
    if (event.touches.length !== 2) {
      start = null
      return
    }
    event.preventDefault()
    const apart = distance(event.touches)
    start ??= { apart, size: target.size() }
    target.resize((start.size * apart) / start.apart)
  }
  const end = () => {
    start = null
  }
  element.addEventListener('touchmove', move, { passive: false })
  element.addEventListener('touchend', end)
  return () => {
    element.removeEventListener('touchmove', move)
    element.removeEventListener('touchend', end)
  }
}

function distance(touches: TouchList): number {
  const [a, b] = [touches[0]!, touches[1]!]
  return Math.max(1, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY))
}
