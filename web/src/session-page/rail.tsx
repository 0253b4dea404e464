import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { modelOf, modeOf } from '../../../src/agents/agent-controls'
import { baseName, plural } from '../api/format'
import type { Session, SessionDiff } from '../api/types'
import { DiffCount } from '../diff/diff-view'
import { parseUnified } from '../diff/unified-diff'
import { showLastRows, usePreviews } from '../session-list/pane-previews'
import { onEvent } from '../store/live'
import { agentWord, sessionName } from '../store/session-name'
import { getJson } from '../transport/request'
import { SvgView } from '../ui/svg-view'
import { TimeSince } from '../ui/time'
import { useLoad } from '../ui/use-load'
import { ContextGauge, SpentLine } from './agent-stats'
import { gitChanges } from './git-line'

const FILES_MAX = 8

/** Beside a conversation: the screen, the changed files, and the facts of the session. */
export function SessionRail({ session, hasScreen }: { session: Session; hasScreen: boolean }) {
  return (
    <aside class="session-rail" aria-label="About this session">
      {hasScreen && <ScreenPanel session={session} />}
      <ChangedFiles session={session} />
      <Facts session={session} />
    </aside>
  )
}

function ScreenPanel({ session }: { session: Session }) {
  const box = useRef<HTMLElement>(null)
  const picture = usePreviews(box, [session.id]).get(session.id)
  return (
    <section class="panel rail-screen" aria-label="Screen" ref={box}>
      <a href={`/s/${session.id}?view=terminal`} data-pane={session.id}>
        {picture ? (
          <SvgView text={picture} label={`Screen of ${sessionName(session)}`} class="thumb" prepare={showLastRows} />
        ) : (
          <span class="thumb" />
        )}
        <span class="rail-foot small">Open the terminal</span>
      </a>
    </section>
  )
}

/** What the agent changed since the session started, loaded again after every turn. */
function ChangedFiles({ session }: { session: Session }) {
  const { value, reload } = useLoad(`files ${session.id}`, signal =>
    // A directory without a repository has no changes.
    getJson<SessionDiff>(`/sessions/${session.id}/diff?against=start&space=show`, { signal }).catch(() => null),
  )
  const changes = gitChanges.value
  useEffect(() => {
    if (changes > 0) reload()
  }, [changes, reload])
  useEffect(
    () =>
      onEvent(
        ({ type, subject }) =>
          (type === 'turn.closed' || type === 'approval.applied') && subject.includes(session.id) && reload(),
      ),
    [session.id, reload],
  )
  const files = useMemo(() => parseUnified(value?.diff ?? ''), [value?.diff])
  if (!value) return null
  const count = files.length + value.hidden.length
  return (
    <section class="panel rail-changes" aria-label="Changed files">
      <header>
        <h2>Changes</h2>
        <span class="grow dim small">{count > 0 && plural(count, 'file')}</span>
        {count > 0 && (
          <a class="link small" href={`/s/${session.id}?view=changes`}>
            Review
          </a>
        )}
      </header>
      {count === 0 ? (
        <p class="pad small soft">Nothing changed since the session started.</p>
      ) : (
        <ul>
          {files.slice(0, FILES_MAX).map(({ name, added, removed }) => (
            <li key={name} class="row small">
              <span class="grow cut mono" title={name}>
                {name}
              </span>
              <DiffCount added={added} removed={removed} />
            </li>
          ))}
          {count > FILES_MAX && <li class="small dim">and {count - FILES_MAX} more</li>}
        </ul>
      )}
    </section>
  )
}

function Facts({ session }: { session: Session }) {
  const { stats } = session
  const model = modelOf(session)
  const mode = modeOf(session)
  const hasContext = stats !== undefined && (stats.context !== null || stats.contextLeftPercent !== null)
  const hasTokens = stats !== undefined && stats.spent.input + stats.spent.output > 0
  return (
    <section class="panel rail-facts" aria-label="Facts">
      <dl class="kv">
        <Fact name="Agent">
          {agentWord(session)}
          {session.agentVersion && ` ${session.agentVersion}`}
        </Fact>
        {model && <Fact name="Model">{model}</Fact>}
        {mode && <Fact name="Mode">{mode}</Fact>}
        {hasContext && (
          <Fact name="Context">
            <ContextGauge session={session} isNamed={false} />
          </Fact>
        )}
        {hasTokens && (
          <Fact name="Spent">
            <SpentLine session={session} />
          </Fact>
        )}
        <Fact name="Directory">
          <span title={session.cwd}>{baseName(session.cwd)}</span>
        </Fact>
        <Fact name="Started">
          <TimeSince at={session.startedAt} suffix=" ago" />
        </Fact>
      </dl>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
