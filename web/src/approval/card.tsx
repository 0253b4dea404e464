import { useEffect, useState } from 'preact/hooks'
import { requestTitle } from '../../../src/approvals/request-title'
import { baseName } from '../api/format'
import type { Approval } from '../api/types'
import { Revealed } from '../diff/styled-text'
import { type Decision, decide, reportSeen } from '../store/actions'
import { hasTimeToAnimate } from '../store/latest'
import { canDecide, connection, me, runs, sessions } from '../store/live'
import { route } from '../store/router'
import { sessionName } from '../store/session-name'
import { toast, toastError } from '../store/toasts'
import { Menu } from '../ui/menu'
import { riskBadge, StatusBadge } from '../ui/status'
import { withStepUp } from '../ui/step-up'
import { TimeLeft, TimeSince } from '../ui/time'
import { AnswerForm } from './answer-form'
import { registerCard, targetCard } from './card-keys'
import { AllowDialog, DenyDialog } from './deny-dialog'
import { EditDialog } from './edit-dialog'
import { planOf, reviewOf } from './gate-payload'
import { answersTo } from './options'
import { OtherAnswers } from './other-answers'
import { OutcomeLine } from './outcome-line'
import { PlanForm } from './plan-form'
import { MISSED_PRESS_TEXT, usePressGuard } from './press-guard'
import { RequestContent } from './request-content'
import { ReviewForm } from './review-form'
import { StandingDialog } from './standing-dialog'
import { suggestedMatch } from './standing-match'

interface CardProps {
  approval: Approval
  /** Selected with `j` and `k` in a list of cards. */
  isPicked?: boolean
  /** The keys of a card act on this one as soon as it is drawn: it is not one of a list. */
  takesKeys?: boolean
  /** Part of the selection for a batch decision. */
  isSelected?: boolean
  /** Offers a check box for the selection. */
  onSelect?: (isSelected: boolean) => void
}

const GRANT_MS = 60 * 60_000

/** One request for a decision. It shows only what the ledger has recorded. */
export function ApprovalCard(props: CardProps) {
  const { approval, isPicked = false, takesKeys = false, isSelected = false, onSelect } = props
  const isPending = approval.state === 'pending'
  const { box, mayPress, watchRelease, isMissed } = usePressGuard(isPending)
  const [isRising] = useState(hasTimeToAnimate)
  const [isBusy, setBusy] = useState(false)
  const [isWhole, setWhole] = useState(false)
  const [isSeen, setSeen] = useState(true)
  const [asking, setAsking] = useState<'deny' | 'allow' | 'edit' | 'standing' | null>(null)
  const { allow, deny, others, isQuestion } = answersTo(approval)
  const hasSeenAll = (isSeen || isWhole) && approval.display.isCut !== true
  const isOff = !canDecide.value || isBusy
  const plan = planOf(approval)
  const review = reviewOf(approval)
  const isPlain = plan === null && review === null
  const blocked = isPending && isPlain && !isQuestion ? allowProblem(approval, hasSeenAll) : null
  const answerWith = (answer: Omit<Decision, 'whole'>) => press(() => void send(answer))()

  useEffect(() => {
    if (isPending && document.visibilityState === 'visible') return reportSeen(approval, hasSeenAll)
  }, [isPending, approval.id, approval.display.hash, hasSeenAll])

  const send = async (decision: Omit<Decision, 'whole'>) => {
    setAsking(null)
    setBusy(true)
    try {
      await withStepUp(`decide a request: ${requestTitle(approval)}`, () =>
        decide(approval, { ...decision, whole: hasSeenAll }),
      )
    } catch (error) {
      if ((error as { code?: string }).code === 'E_APPROVAL_SEE_ALL') setWhole(true)
      toastError(error)
    } finally {
      setBusy(false)
    }
  }
  const press = (act: () => void) => () => {
    if (isOff || !isPending) return
    if (mayPress()) act()
  }
  const allowOnce = () => allow && void send({ option: allow.key })
  /** A high risk is confirmed; with a key, also a medium one: a key is easily mistyped. */
  const askOrAllow = (isKey: boolean) => {
    if (blocked) toast('info', blocked.text)
    else if (approval.risk.level === 'high' || (isKey && approval.risk.level !== 'low')) setAsking('allow')
    else allowOnce()
  }
  const refuse = (reason: string) =>
    deny &&
    void send({
      option: deny.key,
      ...(reason !== '' && (deny.meaning === 'deny-with-text' ? { text: reason } : { note: reason })),
    })
  /** An option that sends the request back needs the reason. */
  const needsReason = deny?.takes === 'reason' || deny?.takes === 'text'
  const denyNow = () => (needsReason ? setAsking('deny') : refuse(''))
  const refuseAndInterrupt =
    deny && approval.subject.session ? press(() => void send({ option: deny.key, thenInterrupt: true })) : null
  const standing = suggestedMatch(approval)
  const allowFor = () =>
    allow && void send({ option: allow.key, grant: { scope: 'session', forMs: GRANT_MS, match: { kind: 'same' } } })

  useEffect(() => {
    if (takesKeys) targetCard(approval.id)
  }, [takesKeys, approval.id])
  useEffect(() => {
    if (!isPending) return
    return registerCard(approval.id, {
      allow: press(() => (isQuestion ? undefined : askOrAllow(true))),
      deny: press(() => deny && denyNow()),
      denyWithReason: press(() => deny && setAsking('deny')),
    })
  })

  return (
    <article
      ref={box as never}
      class={`card ${isRising ? 'is-new' : ''} tone-${isPending ? riskTone(approval) : 'muted'} ${isPicked || takesKeys ? 'is-picked' : ''}`}
      aria-label={requestTitle(approval)}
      data-approval={approval.id}
      data-selected={isSelected || undefined}
      data-busy={isBusy || undefined}
      tabIndex={-1}
      onPointerDown={isPending ? watchRelease : undefined}
    >
      <CardHead
        approval={approval}
        isSelected={isSelected}
        onSelect={isPending && !isQuestion ? onSelect : undefined}
      />
      {(plan === null || approval.display.findings.length > 0) && (
        <RequestContent approval={approval} isWhole={isWhole} onSeen={setSeen} onShowAll={() => setWhole(true)} />
      )}
      <RiskLine approval={approval} />
      {isPending && plan && (
        <PlanForm approval={approval} plan={plan} isBusy={isOff} hasSeenAll={hasSeenAll} onAnswer={answerWith} />
      )}
      {isPending && review && <ReviewForm approval={approval} review={review} isBusy={isOff} onAnswer={answerWith} />}
      {isPending && isPlain && isQuestion && approval.kind !== 'auth' && (
        <AnswerForm approval={approval} isBusy={isOff} onAnswer={answerWith} />
      )}
      {isPending && approval.repeats !== undefined && (
        <div class="risk-line" role="note">
          <span>Requested {approval.repeats} times within 10 minutes: the agent may be in a loop.</span>
          {refuseAndInterrupt && (
            <button type="button" class="btn" disabled={isOff} onClick={refuseAndInterrupt}>
              Deny and interrupt
            </button>
          )}
        </div>
      )}
      {isPending && isPlain && !isQuestion && (
        <>
          <div class="card-actions">
            <button
              type="button"
              class="btn tall deny"
              disabled={isOff || !deny}
              aria-keyshortcuts="d"
              onClick={press(denyNow)}
            >
              {needsReason ? 'Deny…' : 'Deny'}
            </button>
            <div class="between">
              <Menu label="Other answers" class="btn quiet" trigger="More" isLeft isDisabled={isOff}>
                <OtherAnswers
                  approval={approval}
                  others={others}
                  onChoose={option => press(() => void send({ option: option.key }))()}
                  onGrant={press(allowFor)}
                  onStandingApproval={
                    standing && me.value?.person.role === 'owner' ? press(() => setAsking('standing')) : null
                  }
                  onEdit={press(() => setAsking('edit'))}
                  onDeny={deny ? press(() => setAsking('deny')) : null}
                  onInterrupt={refuseAndInterrupt}
                />
              </Menu>
            </div>
            <button
              type="button"
              class="btn solid tall allow"
              disabled={isOff || blocked !== null}
              aria-keyshortcuts="a"
              aria-describedby={blocked ? `why-${approval.id}` : undefined}
              onClick={press(() => askOrAllow(false))}
            >
              {isBusy ? 'Deciding…' : approval.risk.level === 'high' ? 'Allow once…' : 'Allow once'}
            </button>
          </div>
          {(blocked || !canDecide.value) && (
            <p class="card-why small" id={`why-${approval.id}`}>
              {blocked?.text ?? disabledReason()}
              {blocked?.isTerminal && approval.subject.session && (
                <>
                  {' '}
                  <a class="link" href={`/s/${approval.subject.session}?view=terminal`}>
                    Open the terminal
                  </a>
                </>
              )}
            </p>
          )}
        </>
      )}
      {isMissed && isPending && <p class="card-missed small strong">{MISSED_PRESS_TEXT}</p>}
      {!isPending && <OutcomeLine approval={approval} />}
      {asking === 'deny' && <DenyDialog approval={approval} onDeny={refuse} onClose={() => setAsking(null)} />}
      {asking === 'allow' && <AllowDialog approval={approval} onAllow={allowOnce} onClose={() => setAsking(null)} />}
      {asking === 'standing' && standing && (
        <StandingDialog
          approval={approval}
          match={standing}
          onMade={blocked ? () => setAsking(null) : allowOnce}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'edit' && allow && (
        <EditDialog
          approval={approval}
          onAllow={editedInput => void send({ option: allow.key, editedInput })}
          onClose={() => setAsking(null)}
        />
      )}
    </article>
  )
}

/** Why *Allow once* is disabled; null if it is not. */
function allowProblem(approval: Approval, hasSeenAll: boolean): { text: string; isTerminal: boolean } | null {
  const { display, terminalOnly, source, behind } = approval
  if (display.isCut)
    return { text: 'This request is too long to be shown here. Allow it in the terminal.', isTerminal: true }
  if (terminalOnly && !source.can?.includes('hold'))
    return { text: `Only the terminal can allow this: ${terminalOnly}.`, isTerminal: true }
  if (behind) return { text: 'Answer the earlier request of this session first.', isTerminal: false }
  if (!hasSeenAll) return { text: 'Scroll to the end of the request to allow it.', isTerminal: false }
  return null
}

function disabledReason(): string {
  if (me.value?.isReadOnly) return 'This server is read-only.'
  if (me.value?.person.role === 'viewer') return 'You can watch, but not decide.'
  // A page that was just opened is not offline.
  return connection.value.is === 'connecting' ? 'Connecting…' : 'Offline: nothing can be decided.'
}

function CardHead(props: {
  approval: Approval
  isSelected: boolean
  onSelect: ((isSelected: boolean) => void) | undefined
}) {
  const { approval, isSelected, onSelect } = props
  const { subject } = approval
  const session = subject.session ? sessions.get(subject.session) : undefined
  const title = requestTitle(approval)
  return (
    <>
      <div class="card-head">
        <h3 class="grow" dir="auto">
          <Revealed text={title} />
        </h3>
        <TimeSince at={approval.requestedAt} suffix=" ago" />
        {onSelect && (
          <label class="card-select">
            <input
              type="checkbox"
              aria-label={`Select: ${title}`}
              checked={isSelected}
              onChange={event => onSelect(event.currentTarget.checked)}
            />
          </label>
        )}
      </div>
      <div class="card-meta">
        <span title={subject.project}>{baseName(projectOf(approval))}</span>
        {subject.session && !isOwnPage(subject.session) && (
          <a class="link" href={`/s/${subject.session}`}>
            {session ? sessionName(session) : 'session'}
          </a>
        )}
        {subject.run && !isOwnPage(subject.run) && (
          <a class="link" href={`/r/${subject.run}`}>
            {runs.get(subject.run)?.title ?? 'run'}
          </a>
        )}
        {approval.deadline && (
          <span>
            <TimeLeft until={approval.deadline.at} />
          </span>
        )}
      </div>
      {session?.lastPrompt && (
        <p class="card-prompt small" dir="auto">
          <span class="dim">You asked:</span> {session.lastPrompt}
        </p>
      )}
    </>
  )
}

/** The page is about the session or run itself: a link to it leads nowhere. */
function isOwnPage(id: string): boolean {
  const here = route.value
  return (here.page === 'session' || here.page === 'run') && here.id === id
}

/** A run works in a copy of its project; the card names the project itself. */
function projectOf({ subject }: Approval): string {
  const run = subject.run === undefined ? undefined : runs.get(subject.run)
  return run?.project ?? subject.project
}

function RiskLine({ approval }: { approval: Approval }) {
  const { risk, display, neverAuto, source, follows, changed } = approval
  const hidden = display.findings.reduce((sum, { count }) => sum + count, 0)
  const lines = [
    ...(hidden > 0 ? [`${hidden} hidden or look-alike ${hidden === 1 ? 'character' : 'characters'} revealed`] : []),
    ...(source.mismatch ? ['the agent’s report and its screen differ'] : []),
    ...(follows ? ['replaces a request that changed'] : []),
    ...(changed ? [`changed since the last request: ${changed.join(', ')}`] : []),
    ...(neverAuto ? [`only a person may decide this: ${neverAuto}`] : []),
  ]
  // The risk of a question does not get a line of its own.
  if (risk.level === 'low' && approval.kind !== 'permission' && lines.length === 0) return null
  return (
    <div class="risk-line">
      <StatusBadge badge={riskBadge(risk.level)} />
      {risk.reasons.length > 0 && <span>{risk.reasons.join('; ')}</span>}
      {lines.map(line => (
        <span key={line}>{line}</span>
      ))}
    </div>
  )
}

function riskTone({ risk }: Approval): string {
  return risk.level === 'high' ? 'danger' : 'warning'
}
