/** Does this when the signal is given, at once if it has been: whoever awaits something before listening may have missed it. Returns how to stop listening. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    act()
    return () => undefined
  }
  signal.addEventListener('abort', act, { once: true })
  return () => signal.removeEventListener('abort', act)
}
