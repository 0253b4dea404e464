import type { HookAnswer } from '../../agents/index.js'
import { type ApprovalRecord, DENIAL_MEANINGS, isDenialMeaning } from '../../approvals/index.js'
import { canonicalJson } from '../../text/index.js'
import type { OpenRequest } from './open-requests.js'
import { isEqual } from './tool-uses.js'

/*
 * A decision in the words of each way to answer: the structured channel, or the menu on screen; and
 * whether the agent did what was decided.
 */

/** The answer for the structured channel; null if only the agent's dialog can say it. */
export function hookAnswerOf({ record, asked }: OpenRequest): HookAnswer | null {
  const { decision } = record
  if (!decision || record.kind !== 'permission') return null
  switch (meaningOf(record)) {
    case 'allow-once':
    case 'allow-session': {
      if (asked?.viaScreen) return null
      const isSession = meaningOf(record) === 'allow-session'
      // Without a rule that the agent suggested, only its dialog can allow something for the
      // session.
      if (isSession && !asked?.suggestions?.length) return null
      if (decision.editedInput !== undefined && !isWholeEdit(record)) return null
      return {
        behavior: 'allow',
        ...(decision.editedInput !== undefined && { updatedInput: decision.editedInput }),
        ...(isSession && { sessionRule: asked!.suggestions }),
      }
    }
    case 'deny':
    case 'deny-with-text': {
      const message = decision.text ?? decision.note
      return { behavior: 'deny', ...(message !== undefined && { message }) }
    }
    default:
      return null
  }
}

/** The meaning of the chosen option. */
function meaningOf({ decision, request }: ApprovalRecord): string {
  return request.options.find(option => option.key === decision?.option)?.meaning ?? decision?.tier ?? ''
}

export function isDenial(record: ApprovalRecord): boolean {
  return isDenialMeaning(meaningOf(record))
}

/**
 * The log keeps an edit without its secrets: an edit that lost some is not what the person wrote.
 */
function isWholeEdit({ decision }: ApprovalRecord): boolean {
  return !canonicalJson(decision?.editedInput ?? null).includes('‹secret:')
}

interface ScreenAnswer {
  label: string
  text?: string
  labels?: string[]
  /** For a form: an answer for each of its questions. */
  pages?: { question: string; labels: string[] }[]
}

/** The label to choose and the text for it; null if there is no such option, or several. */
export function screenAnswerOf(record: ApprovalRecord): ScreenAnswer | null {
  const { decision } = record
  if (!decision) return null
  if (record.request.questions.length > 1) return formAnswerOf(record, decision)
  const offered = record.screenOptions ?? record.request.options
  const options = record.request.options
  if (decision.choices && decision.choices.length > 0) {
    const labels = decision.choices.map(key => options.find(option => option.key === key)?.label ?? key)
    return { label: labels[0]!, labels }
  }
  const meaning = meaningOf(record)
  const text = decision.text ?? (meaning.startsWith('deny') ? decision.note : undefined)
  const withText = offered.filter(option => option.meaning === 'deny-with-text')
  // A reason goes into the option that takes one, if there is one.
  if (meaning === 'deny' && text !== undefined && withText.length === 1) return { label: withText[0]!.label, text }
  const chosen = options.find(option => option.key === decision.option)
  const isOffered = offered.some(option => option.label === chosen?.label)
  const alike = optionsAlike(offered, meaning)
  const label = chosen && isOffered ? chosen.label : alike.length === 1 ? alike[0]!.label : null
  if (label === null) return null
  const takesText = meaning === 'deny-with-text' || meaning === 'text' || decision.tier === 'text'
  return { label, ...(takesText && text !== undefined && { text }) }
}

/** A form is filled in completely or not at all. */
function formAnswerOf(
  { request }: ApprovalRecord,
  { choices = [] }: NonNullable<ApprovalRecord['decision']>,
): ScreenAnswer | null {
  const pages = request.questions.map(({ text }, index) => ({
    question: text,
    labels: request.options
      .filter(option => (option.question ?? 0) === index && choices.includes(option.key))
      .map(({ label }) => label),
  }))
  const isWhole = request.questions.every(({ multi }, index) => multi || pages[index]!.labels.length === 1)
  return isWhole ? { label: pages[0]!.labels[0] ?? '', pages } : null
}

/** Options of one meaning: without a plain *No*, one that cancels or takes a reason. */
function optionsAlike(offered: ApprovalRecord['request']['options'], meaning: string) {
  const meanings = meaning === 'deny' ? DENIAL_MEANINGS : [meaning]
  return meanings.map(each => offered.filter(option => option.meaning === each)).find(found => found.length > 0) ?? []
}

/**
 * Whether the agent did as decided; if the input was edited, the edited input must have run. A
 * transcript cannot prove that: it holds the tool use as the model wrote it, before the edit.
 */
export function isAsDecided({ record, proof }: Pick<OpenRequest, 'record' | 'proof'>): boolean {
  if (!proof) return false
  const { decision } = record
  if ((proof.result === 'denied') !== isDenial(record)) return false
  if (decision?.editedInput === undefined || !proof.tool || proof.by === 'transcript') return true
  return isEqual(proof.tool.input, decision.editedInput)
}

/**
 * A way to answer an agent other than its keyboard: a waiting hook, or a reply in its own protocol.
 * A request is identified by the id of the report that brought it, so that an answer reaches
 * exactly that request or none.
 */
export interface AnswerChannel {
  /** Requests of this session may wait for an answer. */
  readonly mayHold: boolean
  /** What an answer may carry besides an approval; everything if left out. */
  readonly can?: readonly ('edit' | 'deny' | 'text' | 'hold')[]
  /** The agent waits for this request's answer now. */
  isOpen(report: string): boolean
  /**
   * `sent`: proves nothing yet. `closed`: no longer waits. `unsupported`: the channel cannot
   * express it.
   */
  answer(report: string, answer: HookAnswer): Promise<'sent' | 'closed' | 'unsupported'>
  /** Releases the request without an answer: it was or will be answered elsewhere. */
  release(report: string): void
}

/** For agents that take answers from their keyboard only. */
export const NO_CHANNEL: AnswerChannel = {
  mayHold: false,
  isOpen: () => false,
  answer: async () => 'closed',
  release: () => undefined,
}
