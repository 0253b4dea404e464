import { useState } from 'preact/hooks'
import { baseName, timeOf } from '../api/format'
import type { Approval, Session } from '../api/types'
import { ApprovalCard } from '../approval/card'
import { Composer } from '../session/composer'
import { ConversationView } from '../session/conversation'
import { AgentAllowances, ContextGauge, HelperTree, NearlyFull, SpentLine, useCrew } from '../session/crew'
import { ExplainDialog } from '../session/explain'
import { FileDialog } from '../session/file-dialog'
import { GitLine } from '../session/git-line'
import { usePageKeys } from '../shell/keyboard'
import { interruptSession, resumeSession, stopSession } from '../store/actions'
import { approvals, canDecide, panes, sessions } from '../store/live'
import { sessionLayout } from '../store/prefs'
import { go } from '../store/router'
import { TerminalView } from '../terminal/terminal-view'
import { getJson } from '../transport/request'
import { HelpIcon, ReplayIcon, StopIcon } from '../ui/icons'
import { Menu } from '../ui/menu'
import { Guard, Problem, Skeleton } from '../ui/panel'
import { isLiveSession, StatusBadge, sessionAspect } from '../ui/status'
import { Segments } from '../ui/tabs'
import { Age } from '../ui/time'
import { useLoad } from '../ui/use-load'
import { isPhone } from '../ui/use-width'

export function SessionPage({ id }: { id: string }) {
  const { error, reload } = useLoad(id, async signal =>
    sessions.put(await getJson<Session>(`/sessions/${id}`, { signal })),
  )
  const session = sessions.get(id)
  if (session) return <Loaded session={session} />
  return (
    <div class="page">
      <h1 class="sr">Session</h1>
      {error ? <Problem error={error} retry={reload} /> : <Skeleton />}
    </div>
  )
}

function Loaded({ session }: { session: Session }) {
  const [panel, setPanel] = useState<'explain' | 'files' | null>(null)
  const isLive = isLiveSession(session)
  const asked = approvals.all.value.filter(
    ({ subject, outcome }) => subject.session === session.id && outcome?.followedBy === undefined,
  )
  const layout =
    isPhone.value && sessionLayout.value === 'split' ? 'conversation' : isLive ? sessionLayout.value : 'conversation'
  usePageKeys({ explain: () => setPanel('explain') })
  useCrew(session.id)
  return (
    <div class="page full session-page">
      <Head session={session} onPanel={setPanel} layout={layout} />
      <div class={`split ${layout === 'split' ? 'both' : layout}`}>
        {layout !== 'conversation' && (
          <section class="split-terminal" aria-label="Terminal">
            <Guard>
              <TerminalView key={session.id} pane={session.id} isPhone={isPhone.value} />
            </Guard>
          </section>
        )}
        {layout !== 'terminal' && (
          <section class="split-talk panel" aria-label="Conversation and prompt">
            <h2 class="sr">Conversation</h2>
            <HelperTree session={session} />
            {isLive && <NearlyFull session={session} />}
            <Guard>
              <ConversationView session={session.id} asked={asked} />
            </Guard>
            {isLive ? <Composer session={session} /> : <Ended session={session} />}
          </section>
        )}
        {layout === 'terminal' && <PendingRequests asked={asked} />}
      </div>
      {panel === 'explain' && <ExplainDialog session={session} onClose={() => setPanel(null)} />}
      {panel === 'files' && <FileDialog session={session.id} onClose={() => setPanel(null)} />}
    </div>
  )
}

function Head(props: { session: Session; layout: string; onPanel(panel: 'explain' | 'files'): void }) {
  const { session, onPanel } = props
  const isLive = isLiveSession(session)
  const pane = panes.get(session.id)
  const aspect = sessionAspect(session)
  return (
    <div class="page-head session-head">
      <div class="grow">
        <div class="row wrap" style={{ rowGap: '2px' }}>
          <h1 tabIndex={-1}>
            <span class="dim num">{session.number}</span>{' '}
            {session.label ?? `${session.agent} in ${baseName(session.cwd)}`}
          </h1>
          <StatusBadge aspect={aspect} isLive={aspect.word === 'working'} />
        </div>
        <p class="small dim facts">
          <span>
            {session.agent}
            {session.agentVersion && ` ${session.agentVersion}`}
          </span>
          <span class="mono" title={session.cwd}>
            {baseName(session.cwd)}
          </span>
          <GitLine session={session.id} />
          <ContextGauge session={session} />
          <SpentLine session={session} />
          <AgentAllowances session={session} />
          {session.phase && <span class="deep">phase {session.phase}</span>}
          {pane && isLive && (
            <span class="deep">
              status from {pane.why.authority}
              {pane.why.staleForS !== null && pane.why.staleForS > 5 && `, ${Math.round(pane.why.staleForS)} s old`}
            </span>
          )}
          <Age at={session.startedAt} prefix="for " />
          {session.resumedFrom && (
            <a class="link" href={`/s/${session.resumedFrom}`}>
              resumed from an earlier session
            </a>
          )}
          {session.resumedBy && (
            <a class="link" href={`/s/${session.resumedBy}`}>
              resumed in a later session
            </a>
          )}
        </p>
      </div>
      <div class="actions">
        {isLive && (
          <Segments
            label="Layout"
            value={props.layout}
            choices={[
              ...(isPhone.value ? [] : [{ value: 'split', label: 'Both' }]),
              // A phone has no room for the longer word.
              { value: 'conversation', label: isPhone.value ? 'Chat' : 'Conversation' },
              { value: 'terminal', label: 'Terminal' },
            ]}
            onChange={value => (sessionLayout.value = value as 'split')}
          />
        )}
        <button type="button" class="btn" onClick={() => onPanel('explain')} aria-keyshortcuts="e">
          <HelpIcon /> <span class="wide-only">Explain</span>
        </button>
        <a class="btn" href={`/replay/${session.id}`}>
          <ReplayIcon /> <span class="wide-only">Replay</span>
        </a>
        {isLive && (
          <button
            type="button"
            class="btn"
            disabled={!canDecide.value || aspect.word !== 'working'}
            onClick={() => void interruptSession(session.id)}
          >
            <StopIcon /> <span class="wide-only">Interrupt</span>
          </button>
        )}
        <SessionMenu session={session} onFiles={() => onPanel('files')} />
      </div>
    </div>
  )
}

function SessionMenu({ session, onFiles }: { session: Session; onFiles(): void }) {
  const isLive = isLiveSession(session)
  return (
    <Menu label="More actions">
      <button type="button" onClick={onFiles}>
        Project files
      </button>
      <a href={`/compare?a=${session.id}&b=`}>Compare with another session</a>
      {!isLive && (
        <button type="button" disabled={!canDecide.value} onClick={() => void resume(session.id)}>
          Resume
        </button>
      )}
      {isLive && (
        <button type="button" class="danger" disabled={!canDecide.value} onClick={() => void stopSession(session.id)}>
          Stop session
        </button>
      )}
    </Menu>
  )
}

function Ended({ session }: { session: Session }) {
  return (
    <div class="composer row wrap">
      <span class="grow small soft">
        {session.state === 'lost' ? 'The terminal was lost; how the agent ended is unknown.' : 'The session has ended'}{' '}
        {session.endedAt && <Age at={timeOf(session.endedAt)} suffix=" ago" />}
      </span>
      <a class="btn" href={`/replay/${session.id}`}>
        <ReplayIcon /> Replay
      </a>
      <button type="button" class="btn solid" disabled={!canDecide.value} onClick={() => void resume(session.id)}>
        Resume
      </button>
    </div>
  )
}

async function resume(id: string): Promise<void> {
  const session = await resumeSession(id)
  if (session) go(`/s/${session.id}`)
}

/** Pending requests beside the terminal, when the layout has no conversation. */
function PendingRequests({ asked }: { asked: readonly Approval[] }) {
  const pending = asked.filter(({ state }) => state === 'pending')
  if (pending.length === 0) return null
  return (
    <div class="cards">
      <h2 class="sr">Needs you</h2>
      {pending.map(approval => (
        <ApprovalCard key={approval.id} approval={approval} isPicked />
      ))}
    </div>
  )
}
