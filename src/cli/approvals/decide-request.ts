import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import type { GrantWish } from '../../approvals/index.js'
import { newNonce, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError, toSignalboxError } from '../../errors/index.js'
import type { Approval } from '../../server/index.js'
import { visibleText } from '../../text/index.js'
import { askLine } from '../ask.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { type ApprovalInfo, approvalLines, endOf } from './approval-info.js'
import { findOption, plainOption } from './pick-option.js'

export interface DecideOptions {
  id: string
  wants: 'allow' | 'deny' | 'answer'
  option: string | null
  choices: readonly string[]
  text: string | null
  note: string | null
  /** With a denial: the turn is interrupted, too. */
  thenInterrupt?: boolean
  /** File with the input as it shall be. */
  edit: string | null
  grant: GrantWish | null
  fingerprint: string | null
  waits: boolean
  isJson: boolean
}

/** What will be sent, and how to name it to the person. */
interface Answer {
  option?: string
  choices?: string[]
  text?: string
  label: string
}

const WAIT_MS = 30_000
const WAIT_STEP_MS = 10_000

/** What `approve`, `deny` and `answer` share: look at the request, choose, decide once, and say what became of it. */
export async function decideFromCli(context: CommandContext, options: DecideOptions): Promise<number> {
  if (context.env.SIGNALBOX_SESSION) return refuseInside(context, options)
  const client = await DaemonClient.connect(context)
  const approval = await client.get<Approval>(`/approvals/${encodeURIComponent(options.id)}`)
  const answer = answerOf(approval, options)
  const editedInput = options.edit === null ? undefined : readEdit(options.edit, context.cwd)
  const isAllowing = options.wants !== 'deny'
  if (isAllowing && options.fingerprint === null)
    await showAndAsk(context, client, approval, { label: answer.label, editedInput, grant: options.grant })
  const { label, ...what } = answer
  const body = {
    fingerprint: options.fingerprint ?? approval.fingerprint,
    ...what,
    ...(options.note !== null && { note: options.note }),
    ...(options.thenInterrupt && { thenInterrupt: true }),
    ...(editedInput !== undefined && { editedInput }),
    ...(options.grant && { grant: options.grant }),
    seen: { displayHash: approval.display.hash, whole: true },
    idempotencyKey: newNonce(),
    actor: localPerson(),
  }
  const decided = await decide(context, client, approval, body)
  const say = (state: string) => {
    if (!options.isJson) context.out(`${decided.id}: ${visibleText(label)} — ${state}`)
  }
  if (decided.state === 'decided') say('decided')
  if (decided.decision?.madeGrant && !options.isJson)
    context.out(`grant ${decided.decision.madeGrant}: signalbox grants shows it, signalbox grants revoke ends it`)
  const end = options.waits && decided.state === 'decided' ? await waitForEnd(context, client, decided) : decided
  if (options.isJson) context.json(end)
  else if (end.state !== 'decided') say(endOf(end))
  else if (options.waits)
    context.note(
      `signalbox: decided, and not applied within ${WAIT_MS / 1000} s (signalbox approvals shows what becomes of it)`,
    )
  if (end.state === 'applied') return EXIT.ok
  if (end.state === 'decided') return options.waits ? EXIT.timeout : EXIT.ok
  return EXIT.failed
}

/** The person at this terminal. */
export function localPerson(): { id: string; name: string } {
  return { id: 'local', name: userInfo().username }
}

/** An agent does not decide for itself. The attempt is put on record where the daemon can be reached, and refused in any case. */
async function refuseInside(context: CommandContext, { id }: DecideOptions): Promise<never> {
  const refused = new SignalboxError('E_ROLE', 'an agent cannot decide for itself: this shell belongs to a session', {
    next: 'decide from a terminal of your own',
  })
  try {
    const client = await DaemonClient.running(context)
    await client?.post(`/approvals/${encodeURIComponent(id)}/decision`, {
      fingerprint: '0'.repeat(64),
      option: '',
      seen: { displayHash: '0'.repeat(64), whole: false },
      idempotencyKey: newNonce(),
      actor: { id: 'inside', name: `inside ${context.env.SIGNALBOX_SESSION}` },
      insideSession: context.env.SIGNALBOX_SESSION,
    })
  } catch {
    // Refused there as well, or not reachable: the answer is the same.
  }
  throw refused
}

function answerOf(approval: ApprovalInfo, { wants, option, choices, text }: DecideOptions): Answer {
  const { options } = approval.request
  const withText = text === null ? {} : { text }
  if (choices.length > 0) {
    if (option !== null)
      throw new SignalboxError('E_INPUT', '--option and --choice exclude each other', { next: 'use one of them' })
    const chosen = choices.map(choice => findOption(options, choice))
    const label = chosen.map(choice => choice.label).join(' · ')
    const isOne = chosen.length === 1 && approval.request.questions.every(question => !question.multi)
    return isOne
      ? { option: chosen[0]!.key, ...withText, label }
      : { choices: chosen.map(choice => choice.key), ...withText, label }
  }
  if (option !== null) {
    const found = findOption(options, option)
    return { option: found.key, ...withText, label: found.label }
  }
  if (wants === 'answer') {
    if (text === null)
      throw new SignalboxError('E_INPUT', 'an answer names an option, a choice or a text', {
        next: `it offers: ${options.map(candidate => candidate.label).join(' · ') || 'a text'}`,
      })
    return { text, label: 'your text' }
  }
  const found = plainOption(approval, wants)
  return { option: found.key, ...withText, label: found.label }
}

function readEdit(file: string, cwd: string): unknown {
  const path = resolve(cwd, file)
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch (error) {
    throw new SignalboxError('E_INPUT', `--edit takes a file with JSON: ${toSignalboxError(error).message}`, {
      place: { file: path },
    })
  }
}

async function showAndAsk(
  context: CommandContext,
  client: DaemonClient,
  approval: ApprovalInfo,
  { label, editedInput, grant }: { label: string; editedInput: unknown; grant: GrantWish | null },
): Promise<void> {
  if (!context.isInteractive) {
    throw new SignalboxError(
      'E_NEEDS_HUMAN',
      'without a terminal an approval needs the fingerprint of what was shown',
      {
        next: `--fingerprint ${approval.fingerprint.slice(0, 16)} for this request`,
      },
    )
  }
  for (const line of approvalLines(approval)) context.out(line)
  if (editedInput !== undefined) for (const line of editLines(approval, editedInput)) context.out(line)
  await client
    .post(`/approvals/${approval.id}/seen`, { displayHash: approval.display.hash, whole: true, actor: localPerson() })
    // Being on record as a viewer is a courtesy to the report; deciding does not depend on it.
    .catch(() => undefined)
  if (approval.risk.level === 'low' && editedInput === undefined && !grant) return
  const more = grant ? ' and others like it' : ''
  const answer = await askLine(`${visibleText(label)}${more}? [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new SignalboxError('E_ROLE', 'nothing was decided')
}

/** Field by field what the edit changes. */
function editLines({ request }: ApprovalInfo, edited: unknown): string[] {
  const before = (request.input ?? {}) as Record<string, unknown>
  const after = (typeof edited === 'object' && edited !== null ? edited : {}) as Record<string, unknown>
  const text = (value: unknown) => visibleText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  const changed = Object.keys({ ...before, ...after }).filter(name => text(before[name]) !== text(after[name]))
  if (changed.length === 0) return ['the edit changes nothing']
  return changed.flatMap(name => [
    `edited ${visibleText(name)}:`,
    ...text(before[name])
      .split('\n')
      .map(line => `- ${line}`),
    ...text(after[name])
      .split('\n')
      .map(line => `+ ${line}`),
  ])
}

/** Where the settings ask for a second confirmation, the person types a part of the fingerprint that they see. */
async function decide(
  context: CommandContext,
  client: DaemonClient,
  approval: ApprovalInfo,
  body: Record<string, unknown>,
): Promise<ApprovalInfo> {
  const path = `/approvals/${approval.id}/decision`
  try {
    return await client.post<Approval>(path, body)
  } catch (error) {
    if (!(error instanceof SignalboxError && error.code === 'E_STEP_UP') || !context.isInteractive) throw error
    const wanted = approval.fingerprint.slice(0, 6)
    const typed = await askLine(`high risk: type the first 6 digits of the fingerprint (${wanted}) to go on: `)
    if (typed.trim().toLowerCase() !== wanted) throw error
    return client.post<Approval>(path, { ...body, confirmed: true })
  }
}

/** A daemon that dies meanwhile is followed by another one, which finishes what was decided: go on waiting there. */
async function waitForEnd(context: CommandContext, client: DaemonClient, decided: ApprovalInfo): Promise<ApprovalInfo> {
  const deadline = systemClock.monotonic() + WAIT_MS
  let daemon = client
  let record = decided
  for (;;) {
    const left = Math.round(deadline - systemClock.monotonic())
    if (record.state !== 'decided' || left <= 0) return record
    try {
      record = await daemon.get<Approval>(`/approvals/${decided.id}/wait?timeoutMs=${Math.min(left, WAIT_STEP_MS)}`)
    } catch (error) {
      if (!(error instanceof SignalboxError && error.code === 'E_DAEMON_GONE')) throw error
      daemon = await DaemonClient.connect(context)
    }
  }
}
