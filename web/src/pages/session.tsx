import { useEffect, useState } from 'preact/hooks'
import { timeOf } from '../api/format'
import type { Approval, Session } from '../api/types'
import { ApprovalCard } from '../approval/card'
import { NearlyFull, SubAgentTree, useAgentStats } from '../session-page/agent-stats'
import { PausedLine } from '../session-page/budget'
import { Composer } from '../session-page/composer'
import { ConversationView } from '../session-page/conversation'
import { Divider } from '../session-page/divider'
import { ExplainDialog } from '../session-page/explain'
import { NowLine } from '../session-page/now-line'
import { SessionRail } from '../session-page/rail'
import { resume, SessionHead } from '../session-page/session-head'
import { sessionNow } from '../session-page/session-now'
import { SessionUsage } from '../session-page/usage'
import { usePageKeys } from '../shell/keyboard'
import { acknowledgePane } from '../store/actions'
import { approvals, canDecide, panes, sessions } from '../store/live'
import { isSplit, talkShare } from '../store/prefs'
import { query, setQuery } from '../store/router'
import { isProgram } from '../store/session-name'
import { TerminalView } from '../terminal/terminal-view'
import { getJson } from '../transport/request'
import { ReplayIcon } from '../ui/icons'
import { lazy } from '../ui/lazy'
import { ErrorBoundary, Missing, Skeleton } from '../ui/panel'
import { isLiveSession } from '../ui/status'
import { TabPanel, Tabs } from '../ui/tabs'
import { TimeSince } from '../ui/time'
import { useLoad } from '../ui/use-load'
import { isPhone } from '../ui/use-width'

const SessionChanges = lazy(() => import('../session-page/changes').then(module => module.SessionChanges))
const SessionFiles = lazy(() => import('../session-page/files').then(module => module.SessionFiles))

type View = 'conversation' | 'terminal' | 'changes' | 'files' | 'usage'

export function SessionPage({ id }: { id: string }) {
  const { error, reload } = useLoad(id, async signal =>
    sessions.put(await getJson<Session>(`/sessions/${id}`, { signal })),
  )
  const session = sessions.get(id)
  if (session) return <Loaded session={session} />
  return (
    <div class="page">
      <h1 class="sr">Session</h1>
      {error ? <Missing error={error} what="session" all="/sessions" retry={reload} /> : <Skeleton />}
    </div>
  )
}

function Loaded({ session }: { session: Session }) {
  const [isExplaining, setExplaining] = useState(false)
  const isLive = isLiveSession(session)
  const asked = approvals.all.value.filter(
    ({ subject, outcome }) => subject.session === session.id && outcome?.followedBy === undefined,
  )
  const pending = asked.filter(({ state }) => state === 'pending')
  // An agent that speaks a protocol has no terminal, and a program has no conversation.
  const hasTerminal = isLive && session.channel === undefined
  const hasTalk = !isProgram(session) || !hasTerminal
  const first: View = hasTalk ? 'conversation' : 'terminal'
  const wanted = (query.value.get('view') ?? first) as View
  const isMissing = (wanted === 'terminal' && !hasTerminal) || (wanted === 'conversation' && !hasTalk)
  const view: View = isMissing ? first : wanted
  const hasBoth = view === 'conversation' && hasTerminal && isSplit.value && !isPhone.value
  const hasRail = view === 'conversation' && !hasBoth && !isPhone.value
  const isSized = hasBoth && talkShare.value !== null
  usePageKeys({ explain: () => setExplaining(true) })
  useAgentStats(session.id)
  useSeen(session.id)
  useEffect(() => SessionChanges.preload(), [])
  return (
    <div class="page full session-page">
      <SessionHead
        session={session}
        hasRail={hasRail}
        mayInterrupt={view !== 'conversation'}
        onExplain={() => setExplaining(true)}
      />
      <div class="session-tabs">
        <Tabs<View>
          label="Session"
          value={view}
          choices={[
            ...(hasTalk ? [{ value: 'conversation' as const, label: isPhone.value ? 'Chat' : 'Conversation' }] : []),
            ...(hasTerminal ? [{ value: 'terminal' as const, label: 'Terminal' }] : []),
            { value: 'changes', label: 'Changes' },
            { value: 'files', label: 'Files' },
            { value: 'usage', label: 'Usage' },
          ]}
          onChange={next => setQuery({ view: next === first ? null : next })}
        />
        {view === 'conversation' && hasTerminal && !isPhone.value && (
          <label class="row small soft split-switch">
            <input
              type="checkbox"
              checked={isSplit.value}
              onChange={event => (isSplit.value = event.currentTarget.checked)}
            />
            Show terminal
          </label>
        )}
      </div>
      <TabPanel value={view}>
        {(view === 'conversation' || view === 'terminal') && (
          <div
            class={`split ${hasBoth ? 'both' : view} ${hasRail ? 'with-rail' : ''} ${isSized ? 'is-sized' : ''}`}
            style={isSized ? { '--talk': `${talkShare.value}%` } : undefined}
          >
            {view === 'conversation' && (
              <section class="split-talk panel" aria-label="Conversation and prompt">
                <h2 class="sr">Conversation</h2>
                <SubAgentTree session={session} />
                {isLive && <NearlyFull session={session} />}
                {isLive && <PausedLine session={session} />}
                <ErrorBoundary>
                  <ConversationView session={session.id} agent={session.agent} asked={asked} />
                </ErrorBoundary>
                {isLive && <NowLine session={session} pending={pending} />}
                {isLive ? <Composer session={session} /> : <Ended session={session} />}
              </section>
            )}
            {hasBoth && <Divider />}
            {(view === 'terminal' || hasBoth) && (
              <section class="split-terminal" aria-label="Terminal">
                <ErrorBoundary>
                  <TerminalView key={session.id} pane={session.id} isPhone={isPhone.value} />
                </ErrorBoundary>
              </section>
            )}
            {hasRail && <SessionRail session={session} hasScreen={hasTerminal} />}
            {view === 'terminal' && <PendingRequests pending={pending} />}
          </div>
        )}
        {view === 'changes' && <SessionChanges session={session} />}
        {view === 'files' && <SessionFiles session={session} />}
        {view === 'usage' && <SessionUsage session={session} />}
      </TabPanel>
      {isExplaining && <ExplainDialog session={session} onClose={() => setExplaining(false)} />}
    </div>
  )
}

/** Work that is done counts as seen when a person looks at the session. */
function useSeen(id: string): void {
  const isDone = panes.get(id)?.shown === 'done'
  useEffect(() => {
    if (isDone && canDecide.peek() && document.visibilityState === 'visible') void acknowledgePane(id)
  }, [id, isDone])
}

function Ended({ session }: { session: Session }) {
  const { text } = sessionNow(session, undefined, [])
  return (
    <div class="composer">
      <div class="row wrap">
        <span class="grow small soft">
          {text} {session.endedAt && <TimeSince at={timeOf(session.endedAt)} suffix=" ago" />}
        </span>
        <a class="btn" href={`/replay/${session.id}`}>
          <ReplayIcon /> Replay
        </a>
        <button type="button" class="btn solid" disabled={!canDecide.value} onClick={() => void resume(session.id)}>
          Resume
        </button>
      </div>
    </div>
  )
}

/** Pending requests beside the terminal, when the layout has no conversation. */
function PendingRequests({ pending }: { pending: readonly Approval[] }) {
  if (pending.length === 0) return null
  return (
    <div class="cards">
      <h2 class="sr">Needs you</h2>
      {pending.map(approval => (
        <ApprovalCard key={approval.id} approval={approval} takesKeys />
      ))}
    </div>
  )
}
