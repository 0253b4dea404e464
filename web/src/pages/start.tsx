import type { ProjectList } from '../api/types'
import { AdoptList } from '../start/adopt-list'
import { RunForm } from '../start/run-form'
import { SessionForm } from '../start/session-form'
import { query, setQuery } from '../store/router'
import { getJson } from '../transport/request'
import { Segments } from '../ui/tabs'
import { useLoad } from '../ui/use-load'

type What = 'session' | 'adopt' | 'run'

export function StartPage() {
  const wanted = query.value.get('what')
  const what: What = wanted === 'run' || wanted === 'adopt' ? wanted : 'session'
  const projects = useLoad('projects', signal => getJson<ProjectList>('/projects', { signal }))
  return (
    <div class="page start-page">
      <div class="page-head">
        <h1>Start</h1>
        <Segments
          label="Start"
          value={what}
          choices={[
            { value: 'session', label: 'Session' },
            { value: 'adopt', label: 'Continue a conversation' },
            { value: 'run', label: 'Run' },
          ]}
          onChange={value => setQuery({ what: value === 'session' ? null : value })}
        />
      </div>
      <datalist id="projects">
        {(projects.value?.items ?? []).map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      {what === 'session' ? (
        <SessionForm projects={projects.value?.items ?? []} />
      ) : what === 'adopt' ? (
        <AdoptList />
      ) : (
        <RunForm first={projects.value?.items[0]?.path ?? ''} />
      )}
    </div>
  )
}
