import { formatCount, formatMoney } from '../api/format'
import type { Session } from '../api/types'
import { Empty } from '../ui/panel'
import { Took } from '../ui/time'
import { ContextGauge } from './agent-stats'

/** What the agent reports about its own work: model, tokens, cost, context. */
export function SessionUsage({ session }: { session: Session }) {
  const { stats } = session
  return (
    <div class="stack wide session-usage">
      <div class="stats">
        <Stat value={stats?.spent.costUsd == null ? '–' : formatMoney(stats.spent.costUsd)} label="cost" />
        <Stat value={stats ? formatCount(stats.spent.input) : '–'} label="tokens in" />
        <Stat value={stats ? formatCount(stats.spent.output) : '–'} label="tokens out" />
        <div class="stat">
          <b>
            <Took from={session.startedAt} to={session.endedAt} />
          </b>
          <span>since the start</span>
        </div>
      </div>
      {stats ? (
        <dl class="kv">
          {stats.model && (
            <>
              <dt>Model</dt>
              <dd>{stats.model}</dd>
            </>
          )}
          <dt>Context</dt>
          <dd>
            <ContextGauge session={session} />
          </dd>
          <dt>Budget</dt>
          <dd>{budgetText(session)}</dd>
          {session.agentSessionId && (
            <>
              <dt>Conversation of the agent</dt>
              <dd class="mono small">{session.agentSessionId}</dd>
            </>
          )}
        </dl>
      ) : (
        <Empty title="The agent has reported no usage yet" />
      )}
    </div>
  )
}

function budgetText({ budget }: Session): string {
  if (!budget) return 'as set in Settings'
  const limits = [
    budget.usd === null ? '' : formatMoney(budget.usd),
    budget.tokens === null ? '' : `${formatCount(budget.tokens)} tokens`,
  ]
  return limits.filter(Boolean).join(', ') || 'no limit'
}

function Stat({ value, label }: { value: string; label: string }) {
  return (
    <div class="stat">
      <b>{value}</b>
      <span>{label}</span>
    </div>
  )
}
