import { baseName, plural } from '../api/format'
import type { Grant } from '../api/types'
import { pauseGrants, revokeGrant } from '../store/actions'
import { areGrantsPaused, canDecide } from '../store/live'
import { TimeLeft } from '../ui/time'

/** What agents may do without asking, and for how long. */
export function StandingApprovals({ items }: { items: readonly Grant[] }) {
  const isPaused = areGrantsPaused.value
  return (
    <section class="panel" aria-label="Standing approvals">
      <header>
        <h2>Standing approvals</h2>
        <span class="grow">{items.length || ''}</span>
        {items.length > 0 && (
          <button
            type="button"
            class="btn quiet"
            disabled={!canDecide.value}
            onClick={() => void pauseGrants(!isPaused)}
          >
            {isPaused ? 'Resume' : 'Pause all'}
          </button>
        )}
      </header>
      {items.length === 0 ? (
        <p class="pad small soft">No standing approvals. Agents ask every time.</p>
      ) : (
        <ul>
          {items.map(grant => (
            <li key={grant.id} class="pad row top" style={{ borderTop: '1px solid var(--line)' }}>
              <span class="grow small">
                <span class="strong">{describePattern(grant)}</span> <Match grant={grant} />
                <br />
                <span class="dim tiny">
                  <Limits grant={grant} isPaused={isPaused} />
                </span>
              </span>
              <button
                type="button"
                class="btn quiet"
                disabled={!canDecide.value}
                onClick={() => void revokeGrant(grant.id)}
              >
                Revoke
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Of any tool: what its pattern is about. */
function describePattern({ tools, match }: Grant): string {
  const named = tools.filter(tool => tool !== '*')
  if (named.length > 0) return named.join(', ')
  return match.kind === 'path' ? 'Edits below' : 'Commands'
}

function Match({ grant: { match } }: { grant: Grant }) {
  if (match.kind === 'prefix') return <code>{match.words.join(' ')}…</code>
  return match.kind === 'path' ? <code>{match.directory}</code> : <>the same request</>
}

function Limits({ grant, isPaused }: { grant: Grant; isPaused: boolean }) {
  const scope = grant.scope.kind === 'project' ? baseName(grant.project) : `this ${grant.scope.kind}`
  if (grant.standing)
    return (
      <>
        {scope} · {isPaused ? 'paused' : 'until you revoke it'} · used {plural(grant.uses, 'time')}
      </>
    )
  return (
    <>
      {scope} · {isPaused ? 'paused' : <TimeLeft until={grant.expiresAt} />} · {grant.uses} of {grant.maxUses} uses
    </>
  )
}
