import { useEffect, useState } from 'preact/hooks'
import { baseName } from '../api/format'
import type { Approval, ApprovalOption } from '../api/types'
import { type Decision, decide, reportSeen } from '../store/actions'
import { hasTimeToAnimate } from '../store/latest'
import { canDecide, runs, sessions } from '../store/live'
import { toast, toastError } from '../store/toasts'
import { Menu } from '../ui/menu'
import { riskAspect, StatusBadge } from '../ui/status'
import { withStepUp } from '../ui/step-up'
import { Age, Left } from '../ui/time'
import { AnswerForm } from './answer-form'
import { onCardKey } from './card-keys'
import { AllowDialog, DenyDialog } from './deny-dialog'
import { EditDialog, mayEdit } from './edit-dialog'
import { planOf, reviewOf } from './gate-payload'
import { answersTo, mayGrant, plainLabel } from './options'
import { OutcomeLine } from './outcome-line'
import { PlanForm } from './plan-form'
import { usePressGuard } from './press-guard'
import { RequestFrame } from './request-frame'
import { ReviewForm } from './review-form'

interface CardProps {
  approval: Approval
  isPicked?: boolean
  /** Part of the selection for a batch decision. */
  isSelected?: boolean
}

const GRANT_MS = 60 * 60_000

/** One request for a decision. It shows only what the ledger has recorded. */
export function ApprovalCard({ approval, isPicked = false, isSelected = false }: CardProps) {
  const isPending = approval.state === 'pending'
  const { box, mayPress } = usePressGuard(isPending)
  const [isRising] = useState(hasTimeToAnimate)
  const [isBusy, setBusy] = useState(false)
  const [isWhole, setWhole] = useState(false)
  const [fits, setFits] = useState(true)
  const [asking, setAsking] = useState<'deny' | 'allow' | 'edit' | null>(null)
  const { allow, deny, others, isQuestion } = answersTo(approval)
  const hasSeenAll = (fits || isWhole) && approval.display.isCut !== true
  const isOff = !canDecide.value || isBusy
  const plan = planOf(approval)
  const review = reviewOf(approval)
  const isPlain = plan === null && review === null
  const answerWith = (answer: Omit<Decision, 'whole'>) => press(() => void send(answer))()

  useEffect(() => {
    if (isPending && document.visibilityState === 'visible') return reportSeen(approval, hasSeenAll)
  }, [isPending, approval.id, approval.display.hash, hasSeenAll])

  const send = async (decision: Omit<Decision, 'whole'>) => {
    setAsking(null)
    setBusy(true)
    try {
      await withStepUp(() => decide(approval, { ...decision, whole: hasSeenAll }))
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
    else toast('info', 'The card has just moved', 'Press again.')
  }
  const allowOnce = () => allow && void send({ option: allow.key })
  const refuse = (reason: string) =>
    deny &&
    void send({
      option: deny.key,
      ...(reason !== '' && (deny.meaning === 'deny-with-text' ? { text: reason } : { note: reason })),
    })
  const refuseAndInterrupt =
    deny && approval.subject.session ? press(() => void send({ option: deny.key, thenInterrupt: true })) : null
  const allowFor = () =>
    allow && void send({ option: allow.key, grant: { scope: 'session', forMs: GRANT_MS, match: { kind: 'same' } } })

  useEffect(() => {
    if (!isPicked || !isPending) return
    return onCardKey({
      allow: press(() => (isQuestion ? undefined : approval.risk.level === 'low' ? allowOnce() : setAsking('allow'))),
      deny: press(() => deny && setAsking('deny')),
    })
  })

  return (
    <article
      ref={box as never}
      class={`card ${isRising ? 'is-new' : ''} tone-${isPending ? riskTone(approval) : 'unlit'} ${isPicked ? 'is-picked' : ''}`}
      aria-label={approval.display.title}
      data-approval={approval.id}
      data-selected={isSelected || undefined}
      data-busy={isBusy || undefined}
      tabIndex={-1}
    >
      <CardHead approval={approval} />
      <RequestFrame
        blocks={approval.display.blocks}
        isProse={isProse(approval)}
        isWhole={isWhole}
        onFits={setFits}
        onShowAll={() => setWhole(true)}
      />
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
        <div class="card-actions">
          <button
            type="button"
            class="btn tall deny"
            disabled={isOff || !deny}
            aria-keyshortcuts="d"
            onClick={press(() => setAsking('deny'))}
          >
            Deny…
          </button>
          <div class="between">
            <Menu label="Other answers" class="btn quiet" trigger="More…" isLeft isDisabled={isOff}>
              <OtherAnswers
                approval={approval}
                others={others}
                onChoose={option => press(() => void send({ option: option.key }))()}
                onGrant={press(allowFor)}
                onEdit={press(() => setAsking('edit'))}
                onInterrupt={refuseAndInterrupt}
              />
            </Menu>
          </div>
          <button
            type="button"
            class="btn solid tall allow"
            disabled={isOff || !hasSeenAll}
            aria-keyshortcuts="a"
            title={hasSeenAll ? undefined : 'Show the whole request first'}
            onClick={press(allowOnce)}
          >
            {isBusy ? 'Deciding…' : 'Allow once'}
          </button>
        </div>
      )}
      {!isPending && <OutcomeLine approval={approval} />}
      {asking === 'deny' && <DenyDialog approval={approval} onDeny={refuse} onClose={() => setAsking(null)} />}
      {asking === 'allow' && <AllowDialog approval={approval} onAllow={allowOnce} onClose={() => setAsking(null)} />}
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

function CardHead({ approval }: { approval: Approval }) {
  const { subject } = approval
  const session = subject.session ? sessions.get(subject.session) : undefined
  return (
    <>
      <div class="card-head">
        <h3 class="grow">{titleOf(approval)}</h3>
        <Age at={approval.requestedAt} suffix=" ago" />
      </div>
      <div class="card-meta">
        {!subject.run && <span title={subject.project}>{baseName(subject.project)}</span>}
        <span>{subject.agent}</span>
        {subject.session && (
          <a class="link" href={`/s/${subject.session}`}>
            {session ? `session ${session.number}${session.label ? ` · ${session.label}` : ''}` : 'session'}
          </a>
        )}
        {subject.run && (
          <a class="link" href={`/r/${subject.run}`}>
            run · {runs.get(subject.run)?.title ?? subject.run}
          </a>
        )}
        <span>{subject.hostName}</span>
        {approval.deadline && (
          <span>
            <Left until={approval.deadline.at} />
          </span>
        )}
      </div>
    </>
  )
}

function RiskLine({ approval }: { approval: Approval }) {
  const { risk, display, behind, neverAuto, terminalOnly, source, follows, changed } = approval
  const hidden = display.visible.map(({ what, count }) => `${count} ${what}`)
  const lines = [
    ...(hidden.length > 0 ? [`revealed: ${hidden.join(', ')}`] : []),
    ...(display.isCut ? ['too long to be shown completely: answer it in the terminal'] : []),
    ...(source.mismatch ? ['the report of the agent and its screen differ'] : []),
    ...(behind ? ['another request of this session must be answered first'] : []),
    ...(follows ? ['replaces a request that changed'] : []),
    ...(changed ? [`changed since the last request: ${changed.join(', ')}`] : []),
    ...(terminalOnly && !source.can?.includes('hold')
      ? [`it can be allowed only in the terminal: ${terminalOnly}`]
      : []),
    ...(neverAuto ? [`only a person may decide this: ${neverAuto}`] : []),
  ]
  return (
    <div class="risk-line">
      <StatusBadge aspect={riskAspect(risk.level)} />
      {risk.reasons.length > 0 && <span>{risk.reasons.join('; ')}</span>}
      {lines.map(line => (
        <span key={line}>{line}</span>
      ))}
    </div>
  )
}

function OtherAnswers(props: {
  approval: Approval
  others: readonly ApprovalOption[]
  onChoose(option: ApprovalOption): void
  onGrant(): void
  onEdit(): void
  /** Null: the request belongs to no session. */
  onInterrupt: (() => void) | null
}) {
  const { approval, others } = props
  return (
    <>
      {mayGrant(approval) && (
        <button type="button" onClick={props.onGrant}>
          Allow this request for 1 hour in this session
        </button>
      )}
      {mayEdit(approval) && (
        <button type="button" onClick={props.onEdit}>
          Allow with changes…
        </button>
      )}
      {props.onInterrupt && (
        <button type="button" onClick={props.onInterrupt}>
          Deny and interrupt
        </button>
      )}
      {others.map(option => (
        <button key={option.key} type="button" onClick={() => props.onChoose(option)}>
          {plainLabel(option.label)}
        </button>
      ))}
      {approval.subject.session && <a href={`/s/${approval.subject.session}`}>Open the session</a>}
      {approval.subject.run && <a href={`/r/${approval.subject.run}`}>Open the run</a>}
      <a href={`/a/${approval.id}`}>Link to this request</a>
    </>
  )
}

/** The title without the text that the request below shows. */
function titleOf({ display, request }: Approval): string {
  const asked = request.text?.trim()
  const end = asked ? `: ${asked}` : ''
  return asked && display.title.endsWith(end) ? display.title.slice(0, -end.length) : display.title
}

/** Questions are shown as prose, commands as code. */
function isProse({ kind }: Approval): boolean {
  return kind === 'question' || kind === 'gate' || kind === 'plan'
}

function riskTone({ risk }: Approval): string {
  return risk.level === 'high' ? 'danger' : 'caution'
}
