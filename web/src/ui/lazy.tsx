import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Problem, Skeleton } from './panel'

/** A component whose code is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null
  return function Lazy(props: Props) {
    const [, setReady] = useState(loaded !== null)
    const [error, setError] = useState<unknown>(null)
    const [tries, setTries] = useState(0)
    useEffect(() => {
      if (loaded) return
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
