import { useEffect, useState } from 'preact/hooks'
import { formatCount, formatMoney, plural } from '../api/format'
import type { AgentStats, Session, SubAgent } from '../api/types'
import { compactSession } from '../store/actions'
import { canDecide, onEphemeral, sessions } from '../store/live'
import { type Badge, isLiveSession, StatusBadge } from '../ui/status'
import { Clock, TimeSince, Took } from '../ui/time'

/** Follows what the agent reports about its work. These reports are not in the log. */
export function useAgentStats(id: string): void {
  useEffect(
    () =>
      onEphemeral(({ event, data }) => {
        const known = sessions.peek(id)
        if (event === 'session.stats' && data.session === id && known) sessions.put({ ...known, stats: data.stats })
      }),
    [id],
  )
}

interface ContextUse {
  share: number
  text: string
}

/** How much of the context is in use: tokens of the window, or what the agent's screen shows. */
function contextUse({ context, contextLeftPercent }: AgentStats): ContextUse | null {
  if (context?.window) {
    const used = Math.min(context.used, context.window)
    return { share: used / context.window, text: `${formatCount(used)} of ${formatCount(context.window)} tokens` }
  }
  if (contextLeftPercent !== null)
    return { share: 1 - contextLeftPercent / 100, text: `${contextLeftPercent}% left before the agent compacts it` }
  return null
}

const NEARLY_FULL = 0.8

function fullness({ share }: ContextUse): string {
  return share === 1 ? 'full' : 'nearly full'
}

/** `isNamed`: says what it measures; not beside a label. */
export function ContextGauge(props: { session: Session; isNamed?: boolean; class?: string }) {
  const { session, isNamed = true } = props
  const { stats } = session
  if (!stats) return null
  const use = contextUse(stats)
  if (!use)
    return stats.context ? <span class={props.class}>{formatCount(stats.context.used)} tokens in context</span> : null
  const percent = Math.round(use.share * 100)
  return (
    <span
      class={`context-gauge ${use.share >= NEARLY_FULL ? 'tone-warning' : 'tone-done'} ${props.class ?? ''}`}
      title={use.text}
    >
      {isNamed && <span>context</span>}
      <span
        class="gauge"
        role="meter"
        aria-label="Context in use"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={`${percent}%, ${use.text}`}
      >
        <i style={{ width: `${percent}%` }} />
      </span>
      <span class="num">
        {percent}%{use.share >= NEARLY_FULL && `, ${fullness(use)}`}
      </span>
    </span>
  )
}

/**
 * Offers to compact a conversation that is nearly full, before the agent does so in the middle of
 * its work.
 */
export function NearlyFull({ session }: { session: Session }) {
  const [isDismissed, setDismissed] = useState(false)
  const use = session.stats ? contextUse(session.stats) : null
  const isFull = use !== null && use.share >= NEARLY_FULL
  useEffect(() => {
    if (!isFull) setDismissed(false)
  }, [isFull])
  if (!isFull || isDismissed || !session.compact) return null
  return (
    <div class="nearly-full" role="status">
      <span class="grow">
        The context is {fullness(use)}: {use.text}.
      </span>
      <button
        type="button"
        class="btn"
        disabled={!canDecide.value}
        title={`Sends ${session.compact} when the agent is idle`}
        onClick={() => {
          setDismissed(true)
          void compactSession(session)
        }}
      >
        Compact now
      </button>
      <button type="button" class="btn quiet" onClick={() => setDismissed(true)}>
        Dismiss
      </button>
    </div>
  )
}

/**
 * Tools that the agent uses without asking, because a person chose that in the agent's own menu.
 */
export function AgentAllowances({ session }: { session: Session }) {
  return (
    <>
      {(session.allows ?? []).map(({ tool, label, approval, since }) => (
        <a key={label} class="link tone-warning" href={`/a/${approval}`} title={label}>
          the agent allows {tool} without asking since <Clock at={since} />
        </a>
      ))}
    </>
  )
}

export function SpentLine({ session, class: kind = '' }: { session: Session; class?: string }) {
  const spent = session.stats?.spent
  if (!spent || spent.input + spent.output === 0) return null
  return (
    <span
      class={kind}
      title={`${formatCount(spent.input)} tokens in, ${formatCount(spent.output)} out since the session started`}
    >
      {spent.costUsd !== null && `${formatMoney(spent.costUsd)} · `}
      {formatCount(spent.input + spent.output)} tokens
    </span>
  )
}

const STATES: Readonly<Record<SubAgent['state'], Badge>> = {
  working: { word: 'Working', tone: 'active', shape: 'disc' },
  blocked: { word: 'Needs you', tone: 'warning', shape: 'diamond' },
  done: { word: 'Done', tone: 'done', shape: 'tick' },
  failed: { word: 'Failed', tone: 'danger', shape: 'square' },
}

/** The sub-agents of the agent as a tree, with their tasks. */
export function SubAgentTree({ session }: { session: Session }) {
  const isLive = isLiveSession(session)
  const subAgents = session.stats?.subAgents ?? []
  if (subAgents.length === 0) return null
  const open = subAgents.filter(({ state }) => state === 'working' || state === 'blocked').length
  const state = open === 0 ? 'all done' : isLive ? `${open} working` : `${open} working at the last report`
  return (
    <details class="sub-agents" open={isLive && open > 0}>
      <summary>
        <span class="strong">{plural(subAgents.length, 'sub-agent')}</span> <span class="dim">{state}</span>
      </summary>
      <ul class="sub-agent-tree" aria-label={`Sub-agents of ${session.agent}`}>
        {subAgents
          .filter(({ parent }) => parent === null || !subAgents.some(({ id }) => id === parent))
          .map(subAgent => (
            <Branch key={subAgent.id} subAgent={subAgent} all={subAgents} depth={0} isLive={isLive} />
          ))}
      </ul>
    </details>
  )
}

const DEPTH_MAX = 8

interface BranchProps {
  subAgent: SubAgent
  all: readonly SubAgent[]
  depth: number
  isLive: boolean
}

/** The session ended before the agent reported the end of the sub-agent. */
const END_UNKNOWN: Badge = { word: 'end unknown', tone: 'done', shape: 'ring' }

function Branch({ subAgent, all, depth, isLive }: BranchProps) {
  const isOpen = subAgent.state === 'working' || subAgent.state === 'blocked'
  const below = depth < DEPTH_MAX ? all.filter(({ parent }) => parent === subAgent.id) : []
  return (
    <li>
      <div class="sub-agent">
        <StatusBadge
          badge={isOpen && !isLive ? END_UNKNOWN : STATES[subAgent.state]}
          isLive={isLive && subAgent.state === 'working'}
        />
        <span class="grow cut" title={[subAgent.task, subAgent.doing].filter(Boolean).join(' · ')}>
          <span class="strong">{subAgent.name ?? subAgent.task ?? subAgent.id}</span>
          {subAgent.name !== null && subAgent.task && <span class="soft"> {subAgent.task}</span>}
          {subAgent.doing && <span class="dim"> · {subAgent.doing}</span>}
        </span>
        <span class="tiny dim num sub-agent-facts">
          {subAgent.tools > 0 && <span>{plural(subAgent.tools, 'tool')}</span>}
          {subAgent.tokens > 0 && <span>{formatCount(subAgent.tokens)} tokens</span>}
          {subAgent.since !== null &&
            (subAgent.endedAt === null && !isLive ? null : subAgent.endedAt === null ? (
              <TimeSince at={subAgent.since} />
            ) : (
              <span>
                <Took from={subAgent.since} to={subAgent.endedAt} />
              </span>
            ))}
        </span>
      </div>
      {below.length > 0 && (
        <ul>
          {below.map(one => (
            <Branch key={one.id} subAgent={one} all={all} depth={depth + 1} isLive={isLive} />
          ))}
        </ul>
      )}
    </li>
  )
}
