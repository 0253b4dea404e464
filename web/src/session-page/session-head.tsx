import { useState } from 'preact/hooks'
import { controlsOf, modelOf, modeOf } from '../../../src/agents/agent-controls'
import { baseName } from '../api/format'
import type { Session } from '../api/types'
import { stopAfterAsking } from '../session-list/session-actions'
import { continueSession, interruptSession, renameSession, sendPrompt } from '../store/actions'
import { canDecide, isOwner, panes } from '../store/live'
import { isDeveloper } from '../store/prefs'
import { go } from '../store/router'
import { agentWord, isProgram, sessionName } from '../store/session-name'
import { attempt, toast } from '../store/toasts'
import { postJson } from '../transport/request'
import { HelpIcon, StopIcon } from '../ui/icons'
import { Menu } from '../ui/menu'
import { NameDialog } from '../ui/name-dialog'
import { isLiveSession, isWorking, StatusBadge, sessionBadge } from '../ui/status'
import { TimeSince } from '../ui/time'
import { AgentAllowances, ContextGauge, SpentLine } from './agent-stats'
import { BudgetDialog } from './budget'
import { GitLine } from './git-line'
import { ShareDialog } from './share-dialog'

/** Name, status and facts of a session, and its actions. */
export function SessionHead(props: {
  session: Session
  /** Beside the conversation, on a wide page, are the same facts. */
  hasRail: boolean
  /** The line above the composer has this button, too. */
  mayInterrupt: boolean
  onExplain(): void
}) {
  const { session, hasRail, mayInterrupt, onExplain } = props
  const isLive = isLiveSession(session)
  const pane = panes.get(session.id)
  const badge = sessionBadge(session, pane)
  const inRail = hasRail ? 'in-rail' : 'wide-fact'
  const model = modelOf(session)
  const mode = modeOf(session)
  return (
    <div class="page-head session-head">
      <div class="grow">
        <div class="row wrap" style={{ rowGap: '2px' }}>
          <h1 tabIndex={-1} dir="auto">
            {sessionName(session)}
          </h1>
          <StatusBadge badge={badge} isLive={isWorking(badge)} />
        </div>
        <p class="small dim facts dots">
          <span>#{session.number}</span>
          <span>
            {agentWord(session)}
            {session.agentVersion && ` ${session.agentVersion}`}
          </span>
          {model && <span class={inRail}>{model}</span>}
          {mode && <span class={inRail}>{mode}</span>}
          <span title={session.cwd}>{baseName(session.cwd)}</span>
          {session.on && (
            <span>
              on{' '}
              <a class="link" href="/workers">
                {session.on}
              </a>
              {session.awaySince && <TimeSince at={session.awaySince} prefix=", away for " />}
            </span>
          )}
          <GitLine session={session.id} />
          <ContextGauge session={session} class={inRail} />
          <SpentLine session={session} class={inRail} />
          <AgentAllowances session={session} />
          {isDeveloper.value && session.phase && <span>phase {session.phase}</span>}
          {isDeveloper.value && pane && isLive && <span>status from {pane.why.authority}</span>}
          <span class={`since ${inRail}`}>
            <TimeSince at={session.startedAt} prefix="started " suffix=" ago" />
          </span>
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
        {isDeveloper.value && (
          <button type="button" class="btn" onClick={onExplain} aria-keyshortcuts="e">
            <HelpIcon /> <span class="wide-only">Explain</span>
          </button>
        )}
        {mayInterrupt && isLive && isWorking(badge) && !isProgram(session) && (
          <button
            type="button"
            class="btn"
            disabled={!canDecide.value}
            onClick={() => void interruptSession(session.id)}
          >
            <StopIcon /> <span class="wide-only">Interrupt</span>
          </button>
        )}
        <SessionMenu session={session} />
      </div>
    </div>
  )
}

function SessionMenu({ session }: { session: Session }) {
  const [asking, setAsking] = useState<'name' | 'model' | 'budget' | 'share' | null>(null)
  const isLive = isLiveSession(session)
  const { model, mode } = controlsOf(session)
  const command = async (text: string) => {
    setAsking(null)
    const sent = await attempt(() => sendPrompt(session.id, text, 'after-turn'))
    if (sent) toast('info', 'Sent to the agent', text)
  }
  const pressMode = () =>
    mode && attempt(() => postJson(`/sessions/${session.id}/keys`, { keys: mode.keys }), 'The mode was switched')
  const switchModel = () => {
    if (!model) return
    if (model.takesName) setAsking('model')
    else {
      void command(model.command)
      go(`/s/${session.id}?view=terminal`)
    }
  }
  return (
    <>
      <Menu label="More actions">
        <button type="button" disabled={!canDecide.value} onClick={() => setAsking('name')}>
          Rename…
        </button>
        {isLive && model && (
          <button type="button" disabled={!canDecide.value} onClick={switchModel}>
            Switch model…
          </button>
        )}
        {isLive && mode && (
          <button type="button" disabled={!canDecide.value} onClick={() => void pressMode()}>
            {mode.label}
          </button>
        )}
        {isLive && (
          <button type="button" disabled={!canDecide.value} onClick={() => setAsking('budget')}>
            Set a budget…
          </button>
        )}
        <hr />
        {session.channel !== 'acp' && session.agentSessionId !== undefined && (
          <button type="button" disabled={!canDecide.value} onClick={() => void open(session.id, 'fork')}>
            Fork the conversation
          </button>
        )}
        <a href={`/start?from=${session.id}`}>Duplicate…</a>
        <a href={`/start?cwd=${encodeURIComponent(session.cwd)}`}>New session here…</a>
        <hr />
        <button type="button" disabled={!isOwner.value} onClick={() => setAsking('share')}>
          Share…
        </button>
        <a href={`/replay/${session.id}`}>Replay</a>
        <a href={`/requests?session=${session.id}`}>History of requests</a>
        <a href={`/compare?a=${session.id}`}>Compare…</a>
        <hr />
        {!isLive && (
          <button type="button" disabled={!canDecide.value} onClick={() => void open(session.id, 'resume')}>
            Resume
          </button>
        )}
        {isLive && (
          <button
            type="button"
            class="danger"
            disabled={!canDecide.value}
            onClick={() => void stopAfterAsking([{ id: session.id, name: sessionName(session) }])}
          >
            Stop session…
          </button>
        )}
      </Menu>
      {asking === 'name' && (
        <NameDialog
          title="Rename session"
          label="Name"
          name={sessionName(session)}
          onName={name => {
            setAsking(null)
            void renameSession(session.id, name)
          }}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'share' && <ShareDialog session={session} onClose={() => setAsking(null)} />}
      {asking === 'budget' && <BudgetDialog session={session} onClose={() => setAsking(null)} />}
      {asking === 'model' && model && (
        <NameDialog
          title="Switch model"
          label="Model, for example sonnet"
          action="Switch"
          onName={name => void command(`${model.command} ${name}`)}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  )
}

export async function resume(id: string): Promise<void> {
  await open(id, 'resume')
}

async function open(id: string, how: 'resume' | 'fork'): Promise<void> {
  const session = await continueSession(id, how)
  if (session) go(`/s/${session.id}`)
}
