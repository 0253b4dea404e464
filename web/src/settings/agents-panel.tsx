import type { AgentList } from '../api/types'
import { getJson } from '../transport/request'
import { Install } from '../ui/install'
import { Problem, Skeleton } from '../ui/panel'
import { StatusIcon } from '../ui/status'
import { useLoad } from '../ui/use-load'

/** Which agents this machine has, and how the others are installed. */
export function AgentsPanel() {
  const { value, error, reload } = useLoad('agents', signal => getJson<AgentList>('/agents', { signal }))
  const installed = value?.items.filter(({ isInstalled }) => isInstalled) ?? []
  const others = value?.items.filter(({ isInstalled }) => !isInstalled) ?? []
  return (
    <section class="panel" aria-label="Agents on this machine">
      <header>
        <h2>Agents on this machine</h2>
      </header>
      {!value && <div class="pad">{error ? <Problem error={error} retry={reload} /> : <Skeleton />}</div>}
      {value && (
        <ul class="controls">
          {installed.map(({ name, title }) => (
            <li key={name} class="tone-active">
              <span class="grow">{title}</span>
              <span class="badge small">
                <StatusIcon shape="tick" /> {name === 'demo' ? 'comes with Signalbox' : 'installed'}
              </span>
            </li>
          ))}
          {others.length > 0 && (
            <li>
              <details class="grow">
                <summary>{others.length} more can be installed</summary>
                <dl class="kv">
                  {others.map(({ name, title, install }) => (
                    <Install key={name} title={title} text={install} />
                  ))}
                </dl>
              </details>
            </li>
          )}
        </ul>
      )}
    </section>
  )
}
