import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Problem, Skeleton } from './panel'

type LazyComponent<Props> = ComponentType<Props> & {
  /** Loads the code before it is needed, once the page has nothing else to do. */
  preload(): void
}

/** A component whose code is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyComponent<Props> {
  let loaded: ComponentType<Props> | null = null
  return Object.assign(Lazy, { preload })

  function preload(): void {
    // Not every browser has it. A failure is shown when the component is.
    globalThis.requestIdleCallback?.(
      () =>
        void load().then(
          component => (loaded = component),
          () => undefined,
        ),
    )
  }

  function Lazy(props: Props) {
    const [, setReady] = useState(loaded !== null)
    const [error, setError] = useState<unknown>(null)
    const [tries, setTries] = useState(0)
    useEffect(() => {
      // It may have been loaded after it was drawn without it.
      if (loaded) return setReady(true)
      load()
        .then(component => {
          loaded = component
          setReady(true)
        })
        .catch(setError)
    }, [tries])
    if (loaded) {
      const Loaded = loaded
      return <Loaded {...props} />
    }
    return (
      <div class="page">
        {error === null ? (
          <Skeleton lines={4} />
        ) : (
          <Problem
            error={error}
            retry={() => {
              setError(null)
              setTries(tries + 1)
            }}
          />
        )}
      </div>
    )
  }
}
