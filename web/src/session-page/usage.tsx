import { formatCount, formatMoney } from '../api/format'
import type { Session } from '../api/types'
import { CopyButton } from '../ui/copy'
import { Took } from '../ui/time'
import { ContextGauge } from './agent-stats'

/** What the agent reports about its own work: model, tokens, cost, context. */
export function SessionUsage({ session }: { session: Session }) {
  const { stats } = session
  const hasTokens = stats !== undefined && stats.spent.input + stats.spent.output > 0
  return (
    <div class="stack wide session-usage">
      <div class="stats framed">
        <Stat
          value={stats?.spent.costUsd == null ? '–' : formatMoney(stats.spent.costUsd)}
          label={hasTokens && stats?.spent.costUsd == null ? 'cost unknown' : 'cost'}
        />
        <Stat value={hasTokens ? formatCount(stats!.spent.input) : '–'} label="tokens in" />
        <Stat value={hasTokens ? formatCount(stats!.spent.output) : '–'} label="tokens out" />
        <div class="stat">
          <b>
            <Took from={session.startedAt} to={session.endedAt} />
          </b>
          <span>since the start</span>
        </div>
      </div>
      {!hasTokens && <p class="small soft">The agent has reported no tokens or cost yet.</p>}
      <dl class="kv">
        {stats?.model && (
          <>
            <dt>Model</dt>
            <dd>{stats.model}</dd>
          </>
        )}
        {(stats?.context || stats?.contextLeftPercent != null) && (
          <>
            <dt>Context</dt>
            <dd>
              <ContextGauge session={session} />
            </dd>
          </>
        )}
        <dt>Budget</dt>
        <dd>{budgetText(session)}</dd>
        {session.agentSessionId && (
          <>
            <dt>Conversation id</dt>
            <dd class="row">
              <code class="small">{session.agentSessionId}</code>
              <CopyButton text={session.agentSessionId} label="Copy the id" />
            </dd>
          </>
        )}
      </dl>
    </div>
  )
}

function budgetText({ budget }: Session): string {
  if (!budget) return 'As set in Settings'
  const limits = [
    budget.usd === null ? '' : formatMoney(budget.usd),
    budget.tokens === null ? '' : `${formatCount(budget.tokens)} tokens`,
  ]
  return limits.filter(Boolean).join(', ') || 'No limit'
}

function Stat({ value, label }: { value: string; label: string }) {
  return (
    <div class="stat">
      <b>{value}</b>
      <span>{label}</span>
    </div>
  )
}
