import { useAgents } from '../start/agents'
import { Install } from '../ui/install'
import { Problem, Skeleton } from '../ui/panel'
import { StatusIcon } from '../ui/status'

/** Which agents this machine has, and how the others are installed. */
export function AgentsPanel() {
  const { isLoaded, installed, missing, error, reload } = useAgents()
  return (
    <section class="panel" aria-label="Agents on this machine">
      <header>
        <h2>Agents on this machine</h2>
      </header>
      {!isLoaded && <div class="pad">{error ? <Problem error={error} retry={reload} /> : <Skeleton />}</div>}
      {isLoaded && (
        <ul class="controls">
          {installed.map(({ name, title }) => (
            <li key={name} class="tone-active">
              <span class="grow">{title}</span>
              <span class="badge small">
                <StatusIcon shape="tick" /> {name === 'demo' ? 'comes with Signalbox' : 'installed'}
              </span>
            </li>
          ))}
          {missing.length > 0 && (
            <li>
              <details class="grow">
                <summary>{missing.length} more can be installed</summary>
                <dl class="kv">
                  {missing.map(({ name, title, install }) => (
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
