import { useState } from 'preact/hooks'
import type { RunLog as RunLogBody } from '../api/types'
import { getJson } from '../transport/request'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { Clock } from '../ui/time'
import { useLoad } from '../ui/use-load'

/** Events of the run and activities of its agents. */
export function RunLog({ run, version, node }: { run: string; version: number; node: string | null }) {
  const [level, setLevel] = useState('')
  const [words, setWords] = useState('')
  const [isNodeOnly, setNodeOnly] = useState(false)
  const filter = new URLSearchParams({ limit: '1000', ...(level && { level }), ...(isNodeOnly && node && { node }) })
  const { value, error, reload } = useLoad(`${run}?${filter}#${version}`, signal =>
    getJson<RunLogBody>(`/runs/${run}/log?${filter}`, { signal }),
  )
  const shown = value?.items.filter(({ text, type, step }) =>
    `${type} ${step ?? ''} ${text}`.toLowerCase().includes(words.toLowerCase()),
  )
  return (
    <div class="stack pad">
      <div class="row wrap">
        <input
          class="input"
          style={{ width: '240px' }}
          type="search"
          aria-label="Search the log"
          placeholder="Search"
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
        />
        <select
          class="input"
          style={{ width: 'auto' }}
          aria-label="Level"
          value={level}
          onChange={event => setLevel(event.currentTarget.value)}
        >
          <option value="">all levels</option>
          <option value="info">info</option>
          <option value="warning">warning</option>
          <option value="error">error</option>
        </select>
        {node && (
          <label class="row small">
            <input type="checkbox" checked={isNodeOnly} onChange={event => setNodeOnly(event.currentTarget.checked)} />{' '}
            only {node}
          </label>
        )}
      </div>
      {!shown ? (
        error ? (
          <Problem error={error} retry={reload} />
        ) : (
          <Skeleton />
        )
      ) : shown.length === 0 ? (
        <Empty title="No line matches this filter" />
      ) : (
        <div class="log" tabIndex={0} role="region" aria-label="Log">
          {shown.map((line, index) => (
            <div key={index} class={line.level}>
              <Clock at={line.at} />
              <span class="level">{line.level === 'info' ? line.source : line.level}</span>
              <code class="cut" title={line.step ?? line.type}>
                {line.step ?? line.type}
              </code>
              <span class="text">{line.text}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
