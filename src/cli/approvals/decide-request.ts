import {
  type ApprovalRecord,
  decisionWords,
  type GrantRequest,
  historyItemOf,
  type Ledger,
  type ProposedDecision,
  waitForRecord,
} from '../../approvals/index.js'
import { newNonce, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { ledgerOf } from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import { plainLabel, visibleText } from '../../text/index.js'
import { askLine } from '../ask.js'
import type { CommandContext } from '../context.js'
import { printPaged } from '../pager.js'
import { withStore } from '../runs/with-store.js'
import { type AnswerOptions, answerFrom, type ChosenAnswer, isGate } from './answer-from-options.js'
import { approvalLines, endOf } from './approval-info.js'
import { allowQuestion } from './confirmation.js'
import { decideThroughDaemon } from './daemon-decider.js'
import { proofNote, requireDecider } from './decider-proof.js'
import { findRequest } from './find-request.js'
import { agentRefused, callingAgent, localDecider } from './local-person.js'

interface DecideOptions extends AnswerOptions {
  /** The id of a request or of a run; if absent, the only request that waits. */
  id: string | undefined
  /** With a denial: interrupts the turn as well. */
  thenInterrupt?: boolean
  grant: GrantRequest | null
  fingerprint: string | null
  waits: boolean
  isJson: boolean
}

const WAIT_MS = 30_000
const NO_ANSWER: ChosenAnswer = { option: '', label: '' }

/**
 * What `approve`, `deny` and `answer` have in common: find the request, choose, decide once, report
 * the outcome. The daemon decides: it knows by the kernel who calls, and signs the decision.
 * Whatever this command wrote into the store itself, an agent could write as well.
 */
export async function decideRequest(context: CommandContext, options: DecideOptions): Promise<number> {
  const agent = callingAgent(context)
  if (agent !== null) return refuseAgent(context, options.id, agent)
  return withStore(context, async (store, home) => {
    const ledger = ledgerOf({ store, home, env: context.env })
    const command = options.wants === 'allow' ? 'approve' : options.wants
    const record = await findRequest({ ledger, store }, options.id, command)
    // Refused with the name of who decided; nothing is shown or asked before.
    if (record.state !== 'pending') await decide(context, ledger, record, requestFor(record, NO_ANSWER, options))
    const answer = answerFrom(record, options, context.cwd)
    if (context.isInteractive) await announceProof(context)
    if (options.fingerprint === null && mustBeShown(record, options))
      await showAndConfirm(context, ledger, record, answer, options.grant)
    else if (options.id === undefined && !options.isJson) context.note(nameOf(record))
    await decide(context, ledger, record, requestFor(record, answer, options))
    return report(context, { ledger, store }, record.id, decisionWords(record, answer), options)
  })
}

function requestFor(
  record: ApprovalRecord,
  { label: _, ...answer }: ChosenAnswer,
  { fingerprint, note, thenInterrupt, grant }: DecideOptions,
): ProposedDecision {
  return {
    fingerprint: fingerprint ?? record.fingerprint,
    ...answer,
    ...(note !== null && { note }),
    ...(thenInterrupt && { thenInterrupt }),
    ...(grant && { grant }),
    seen: { displayHash: record.display.hash, whole: true },
    ...localDecider(),
    idempotencyKey: newNonce(),
  }
}

/** An agent does not decide for itself: the attempt is recorded if possible, and refused. */
async function refuseAgent(context: CommandContext, id: string | undefined, agent: string): Promise<never> {
  try {
    await withStore(context, (store, home) =>
      ledgerOf({ store, home, env: context.env }).decide(id ?? '', {
        fingerprint: '',
        option: '',
        seen: { displayHash: '', whole: false },
        actor: { kind: 'person', id: 'inside', name: `inside ${agent}`, role: 'viewer' },
        surface: 'cli',
        idempotencyKey: newNonce(),
        insideSession: agent,
      }),
    )
  } catch {
    // Refused there as well, or the store cannot be opened from here.
  }
  throw agentRefused(agent)
}

/** Before anything is read and typed: whether this terminal may decide, and what that takes. */
async function announceProof(context: CommandContext): Promise<void> {
  const proof = await requireDecider(context)
  if (proof) context.note(proofNote(proof))
}

/** What is decided, for a person who did not name it. */
function nameOf(record: ApprovalRecord): string {
  const { title, what } = historyItemOf(record)
  return what === null ? title : `${title}: ${what}`
}

/** A gate answered by an option's key names what it answers; others are shown first. */
function mustBeShown(record: ApprovalRecord, { wants }: DecideOptions): boolean {
  return wants === 'allow' || (wants === 'answer' && !isGate(record))
}

async function showAndConfirm(
  context: CommandContext,
  ledger: Ledger,
  record: ApprovalRecord,
  answer: ChosenAnswer,
  grant: GrantRequest | null,
): Promise<void> {
  if (!context.isInteractive) {
    throw new SignalboxError(
      'E_NEEDS_HUMAN',
      'without a terminal an approval needs the fingerprint of the request that was shown',
      { next: `--fingerprint ${record.fingerprint.slice(0, 16)} for this request` },
    )
  }
  const { editedInput } = answer
  const edits = editedInput === undefined ? [] : editLines(record, editedInput)
  await printPaged(context, [...approvalLines(record, context), ...edits])
  const { actor, surface } = localDecider()
  await ledger.seen(record.id, { displayHash: record.display.hash, whole: true, actor, surface })
  if (record.risk.level === 'low' && editedInput === undefined && !grant && !isGate(record)) return
  const more = grant ? ' and others like it' : ''
  const typed = await askLine(`${confirmation(record, answer)}${more}? [y/N] `)
  if (!/^y(es)?$/i.test(typed.trim()))
    throw new SignalboxError('E_ROLE', 'cancelled: nothing was decided, and the request still waits')
}

/** *Allow this edit once*, in our words; every other answer in the words of the agent's menu. */
function confirmation(record: ApprovalRecord, { option, label }: ChosenAnswer): string {
  const { meaning } = record.request.options.find(({ key }) => key === option) ?? {}
  return record.kind === 'permission' && meaning === 'allow-once' ? allowQuestion(record) : plainLabel(label)
}

/** Field by field what the edit changes. */
function editLines({ request }: ApprovalRecord, edited: unknown): string[] {
  const before = (request.input ?? {}) as Record<string, unknown>
  const after = (typeof edited === 'object' && edited !== null ? edited : {}) as Record<string, unknown>
  const text = (value: unknown) => visibleText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  const signed = (sign: string, value: unknown) =>
    text(value)
      .split('\n')
      .map(line => `${sign} ${line}`)
  const changed = Object.keys({ ...before, ...after }).filter(name => text(before[name]) !== text(after[name]))
  if (changed.length === 0) return ['the edit changes nothing']
  return changed.flatMap(name => [
    `edited ${visibleText(name)}:`,
    ...signed('-', before[name]),
    ...signed('+', after[name]),
  ])
}

/** Through the daemon, which knows who calls. A closed request is refused here. */
async function decide(
  context: CommandContext,
  ledger: Ledger,
  record: ApprovalRecord,
  request: ProposedDecision,
): Promise<void> {
  if (record.state === 'pending') await decideThroughDaemon(context, record, request)
  else await ledger.decide(record.id, request)
}

/** Prints the decision and, unless `--no-wait` is set, its outcome. @returns the exit code. */
async function report(
  context: CommandContext,
  { ledger, store }: { ledger: Ledger; store: EventStore },
  id: string,
  words: string,
  { waits, isJson }: DecideOptions,
): Promise<number> {
  const decided = await ledger.find(id)
  const say = (state: string) => {
    if (!isJson) context.out(`${id}: ${words} — ${state}`)
  }
  if (decided.state === 'decided') say('decided')
  if (decided.decision?.madeGrant && !isJson)
    context.out(
      `standing approval ${decided.decision.madeGrant}: signalbox grants shows it, signalbox grants revoke ends it`,
    )
  const parts = { store, clock: systemClock }
  const end = await waitForRecord(parts, decided, ({ state }) => state !== 'decided', {
    timeoutMs: waits ? WAIT_MS : 0,
  })
  if (isJson) context.json(end)
  else if (end.state !== 'decided') say(endOf(end))
  else if (waits)
    context.note(
      `signalbox: decided, but not applied within ${WAIT_MS / 1000} s; signalbox approvals shows the outcome`,
    )
  if (isGate(end) && !isJson) context.note(`follow the run: signalbox logs -f ${end.subject.run}`)
  if (end.state === 'applied') return EXIT.ok
  if (end.state === 'decided') return waits ? EXIT.timeout : EXIT.ok
  return EXIT.failed
}
