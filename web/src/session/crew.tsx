import { useEffect, useState } from 'preact/hooks'
import { formatCount, formatMoney, plural } from '../api/format'
import type { Crew, Helper, Session } from '../api/types'
import { compactSession } from '../store/actions'
import { canDecide, onPassing, sessions } from '../store/live'
import { type Aspect, isLiveSession, StatusBadge } from '../ui/status'
import { Age, Clock, Took } from '../ui/time'

/** The crew changes more often than anything that is in the log: while a session is looked at it is told as it changes. */
export function useCrew(id: string): void {
  useEffect(
    () =>
      onPassing((type, data) => {
        const known = sessions.peek(id)
        if (type === 'session.crew' && data.session === id && known) sessions.put({ ...known, crew: data.crew as Crew })
      }),
    [id],
  )
}

interface Fullness {
  share: number
  words: string
}

/** How full the conversation is, in the agent's own words: tokens of its window, or what its screen says is left. */
export function fullnessOf({ context, contextLeftPercent }: Crew): Fullness | null {
  if (context?.window) {
    const share = Math.min(1, context.used / context.window)
    return { share, words: `${formatCount(context.used)} of ${formatCount(context.window)} tokens` }
  }
  if (contextLeftPercent !== null)
    return { share: 1 - contextLeftPercent / 100, words: `${contextLeftPercent} % left before it makes room` }
  return null
}

const NEARLY_FULL = 0.8

export function ContextGauge({ session }: { session: Session }) {
  const { crew } = session
  if (!crew) return null
  const full = fullnessOf(crew)
  if (!full) return crew.context ? <span>{formatCount(crew.context.used)} tokens in context</span> : null
  const percent = Math.round(full.share * 100)
  return (
    <span class={`context-gauge ${full.share >= NEARLY_FULL ? 'tone-caution' : 'tone-lunar'}`} title={full.words}>
      <span>context</span>
      <span
        class="gauge"
        role="meter"
        aria-label="Context in use"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={`${percent} %, ${full.words}`}
      >
        <i style={{ width: `${percent}%` }} />
      </span>
      <span class="num">
        {percent} %{full.share >= NEARLY_FULL && ', nearly full'}
      </span>
    </span>
  )
}

/** A conversation that is nearly full: the agent can be asked to make room before it does so by itself in the middle of something. */
export function NearlyFull({ session }: { session: Session }) {
  const [isDismissed, setDismissed] = useState(false)
  const full = session.crew ? fullnessOf(session.crew) : null
  const isFull = full !== null && full.share >= NEARLY_FULL
  useEffect(() => {
    if (!isFull) setDismissed(false)
  }, [isFull])
  if (!isFull || isDismissed || !session.compact) return null
  return (
    <div class="nearly-full" role="status">
      <span class="grow">The conversation is nearly full: {full.words}.</span>
      <button
        type="button"
        class="btn"
        disabled={!canDecide.value}
        title={`Sends ${session.compact} when the agent rests`}
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

/** What no longer reaches anybody here: the agent was told in its own menu not to ask. */
export function OwnAllowances({ session }: { session: Session }) {
  return (
    <>
      {(session.allows ?? []).map(({ tool, label, approval, since }) => (
        <a key={label} class="link tone-caution" href={`/a/${approval}`} title={label}>
          the agent allows {tool} itself since <Clock at={since} />
        </a>
      ))}
    </>
  )
}

export function SpentLine({ session }: { session: Session }) {
  const spent = session.crew?.spent
  if (!spent || spent.input + spent.output === 0) return null
  return (
    <span title={`${formatCount(spent.input)} tokens in, ${formatCount(spent.output)} out, since the session began`}>
      {spent.costUsd !== null && `${formatMoney(spent.costUsd)} · `}
      {formatCount(spent.input + spent.output)} tokens used
    </span>
  )
}

const ASPECTS: Readonly<Record<Helper['state'], Aspect>> = {
  working: { word: 'working', tone: 'clear', shape: 'disc' },
  blocked: { word: 'waits', tone: 'caution', shape: 'diamond' },
  done: { word: 'done', tone: 'lunar', shape: 'tick' },
  failed: { word: 'failed', tone: 'danger', shape: 'square' },
}

/** Who works for the agent, below whom, at what. */
export function HelperTree({ session }: { session: Session }) {
  const isLive = isLiveSession(session)
  const helpers = session.crew?.helpers ?? []
  if (helpers.length === 0) return null
  const open = helpers.filter(({ state }) => state === 'working' || state === 'blocked').length
  const stands = open === 0 ? 'all done' : isLive ? `${open} at work` : `${open} at work when last heard of`
  return (
    <details class="helpers" open={isLive && open > 0}>
      <summary>
        <span class="strong">{plural(helpers.length, 'helper')}</span> <span class="dim">{stands}</span>
      </summary>
      <ul class="helper-tree" aria-label={`Helpers of ${session.agent}`}>
        {helpers
          .filter(({ parent }) => parent === null || !helpers.some(({ id }) => id === parent))
          .map(helper => (
            <Branch key={helper.id} helper={helper} all={helpers} depth={0} isLive={isLive} />
          ))}
      </ul>
    </details>
  )
}

const DEPTH_MAX = 8

interface BranchProps {
  helper: Helper
  all: readonly Helper[]
  depth: number
  isLive: boolean
}

/** It had not ended when its agent last told of it, and nobody will. */
const UNHEARD: Aspect = { word: 'not heard of', tone: 'lunar', shape: 'ring' }

function Branch({ helper, all, depth, isLive }: BranchProps) {
  const isOpen = helper.state === 'working' || helper.state === 'blocked'
  const below = depth < DEPTH_MAX ? all.filter(({ parent }) => parent === helper.id) : []
  return (
    <li>
      <div class="helper">
        <StatusBadge
          aspect={isOpen && !isLive ? UNHEARD : ASPECTS[helper.state]}
          isLive={isLive && helper.state === 'working'}
        />
        <span class="grow cut" title={[helper.task, helper.doing].filter(Boolean).join(' · ')}>
          <span class="strong">{helper.name ?? helper.task ?? helper.id}</span>
          {helper.name !== null && helper.task && <span class="soft"> {helper.task}</span>}
          {helper.doing && <span class="dim"> · {helper.doing}</span>}
        </span>
        <span class="tiny dim num helper-facts">
          {helper.tools > 0 && <span>{plural(helper.tools, 'tool')}</span>}
          {helper.tokens > 0 && <span>{formatCount(helper.tokens)} tokens</span>}
          {helper.since !== null &&
            (helper.endedAt === null && !isLive ? null : helper.endedAt === null ? (
              <Age at={helper.since} />
            ) : (
              <span>
                <Took from={helper.since} to={helper.endedAt} />
              </span>
            ))}
        </span>
      </div>
      {below.length > 0 && (
        <ul>
          {below.map(one => (
            <Branch key={one.id} helper={one} all={all} depth={depth + 1} isLive={isLive} />
          ))}
        </ul>
      )}
    </li>
  )
}
