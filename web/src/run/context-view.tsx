import type { RunContext, RunNode } from '../api/types'
import { isDeveloper } from '../store/prefs'
import { sentence } from '../store/toasts'
import { getJson } from '../transport/request'
import { Problem, Skeleton } from '../ui/panel'
import { useLoad } from '../ui/use-load'
import { contextLabel, contextValue, saysSomething } from './context-words'

/** What the steps of a run know: its goal, its inputs, and what each of them answered. */
export function ContextView(props: { run: string; version: number; nodes: readonly RunNode[] }) {
  const { run, version, nodes } = props
  const {
    value: loaded,
    error,
    reload,
  } = useLoad(run, signal => getJson<RunContext>(`/runs/${run}/context`, { signal }), version)
  if (!loaded) return <div class="pad">{error ? <Problem error={error} retry={reload} /> : <Skeleton />}</div>
  const entries = Object.entries(loaded.context).filter(([key, value]) => saysSomething(key, value))
  return (
    <>
      <p class="small dim context-about">What the steps pass on to each other.</p>
      <dl class="kv pad">
        {entries.length === 0 && <dd class="dim">Nothing yet.</dd>}
        {entries.map(([key, value]) => (
          <>
            <dt key={key}>
              {sentence(contextLabel(key, nodes))}
              {isDeveloper.value && <code class="tiny dim block">{key}</code>}
            </dt>
            <dd>
              <ContextValue text={contextValue(key, value, nodes)} isData={isData(value)} />
            </dd>
          </>
        ))}
      </dl>
    </>
  )
}

/** Also a text that is JSON: the engine keeps arguments of pipelines as one. */
function isData(value: unknown): boolean {
  return typeof value === 'object' || (typeof value === 'string' && /^\s*[[{]/.test(value))
}

/** Data that programs read; people open it when they look for something in it. */
function ContextValue({ text, isData }: { text: string; isData: boolean }) {
  const value = <pre class="context-value">{text}</pre>
  if (!isData || text.length <= DATA_SHOWN_MAX) return value
  return (
    <details>
      <summary class="small soft">Show the data</summary>
      {value}
    </details>
  )
}

const DATA_SHOWN_MAX = 200
