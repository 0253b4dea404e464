/** Two fingers apart make the text larger, together smaller. One finger scrolls, as everywhere. */
export function onPinch(element: HTMLElement, text: { size(): number; resize(to: number): void }): () => void {
  let began: { apart: number; size: number } | null = null
  const move = (event: TouchEvent) => {
    if (event.touches.length !== 2) {
      began = null
      return
    }
    event.preventDefault()
    const apart = distance(event.touches)
    began ??= { apart, size: text.size() }
    text.resize((began.size * apart) / began.apart)
  }
  const end = () => {
    began = null
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
