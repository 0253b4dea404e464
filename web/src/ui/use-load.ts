import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { onGap } from '../store/live'

export interface Loaded<T> {
  value: T | null
  error: unknown
  isLoading: boolean
  reload(): void
}

/**
 * Loads data of a page that is not in the shared store, and loads it again when the key or the
 * version changes or events were missed. The value of another version is shown until there is a
 * newer one: a live page neither flickers nor closes what a person has opened.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  version?: number | string,
): Loaded<T> {
  const [state, setState] = useState<{ key: string; value: T | null; error: unknown; isLoading: boolean }>({
    key,
    value: null,
    error: null,
    isLoading: true,
  })
  const [count, setCount] = useState(0)
  const reload = useCallback(() => setCount(before => before + 1), [])
  const latest = useRef(load)
  latest.current = load
  useEffect(() => onGap(reload), [reload])
  useEffect(() => {
    const abort = new AbortController()
    setState(before => ({ ...before, value: before.key === key ? before.value : null, key, isLoading: true }))
    latest
      .current(abort.signal)
      .then(value => !abort.signal.aborted && setState({ key, value, error: null, isLoading: false }))
      .catch(error => !abort.signal.aborted && setState(before => ({ ...before, error, isLoading: false })))
    return () => abort.abort()
  }, [key, version, count])
  const value = state.key === key ? state.value : null
  return { value, error: state.error, isLoading: state.isLoading, reload }
}
