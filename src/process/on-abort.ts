/**
 * Calls `act` when the signal aborts, at once if it has already: a caller that awaits something
 * before it listens may have missed it. Returns a function that stops listening.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) {
    act()
    return () => undefined
  }
  signal.addEventListener('abort', act, { once: true })
  return () => signal.removeEventListener('abort', act)
}

/**
 * How long a process may take to end after this signal: what its reason says, else the usual time.
 */
export function graceAfter({ aborted, reason }: AbortSignal, usualMs: number): number {
  const { graceMs } = (aborted && typeof reason === 'object' && reason !== null ? reason : {}) as { graceMs?: unknown }
  return typeof graceMs === 'number' ? Math.min(graceMs, usualMs) : usualMs
}
