import type { HookAnswer, ToolStatement } from '../../agents/index.js'
import { type ApprovalRecord, DENIAL_MEANINGS, isDenialMeaning } from '../../approvals/index.js'
import type { Menu } from '../../screen/index.js'
import { canonicalJson } from '../../text/index.js'
import { isEqual, type RequestStatement } from './tool-book.js'

/** An open approval of a session with what only the live host knows of it. */
export interface OpenRequest {
  record: ApprovalRecord
  /** The agent's own id of the tool use. */
  key: string | null
  /** As the agent gave it, secrets included. */
  asked: RequestStatement | null
  /** Reports that brought it and may be waiting for an answer. */
  reports: Set<string>
  /** Its menu, when it was last seen to appear. */
  menu: Menu | null
  /** When it was first known or seen, on the steady clock. */
  since: number
  /** What the agent says became of it. */
  proof: { result: 'allowed' | 'denied'; by: string; tool?: ToolStatement } | null
}

export function isStructured({ record }: OpenRequest): boolean {
  return record.source.channel !== 'screen'
}

/** A decision as a structured channel can say it; null where only the agent's own dialog can. */
export function hookAnswerOf({ record, asked }: OpenRequest): HookAnswer | null {
  const { decision } = record
  if (!decision || record.kind !== 'permission') return null
  switch (meaningOf(record)) {
    case 'allow-once':
    case 'allow-session': {
      if (asked?.viaScreen) return null
      const isSession = meaningOf(record) === 'allow-session'
      // Without a rule of the agent's own there is no such thing as "for this session" beside its dialog.
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

/** What the chosen option stands for. */
export function meaningOf({ decision, request }: ApprovalRecord): string {
  return request.options.find(option => option.key === decision?.option)?.meaning ?? decision?.tier ?? ''
}

export function isDenial(record: ApprovalRecord): boolean {
  return isDenialMeaning(meaningOf(record))
}

/** The log keeps an edit without its secrets: one that lost some is not what the person wrote. */
function isWholeEdit({ decision }: ApprovalRecord): boolean {
  return !canonicalJson(decision?.editedInput ?? null).includes('‹secret:')
}

export interface ScreenAnswer {
  label: string
  text?: string
  labels?: string[]
  /** For a form: an answer for each of its questions. */
  pages?: { question: string; labels: string[] }[]
}

/** What to choose on screen: the label, and the text that goes into it. Null when the menu has no such option, or several. */
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
  const said = decision.text ?? (meaning.startsWith('deny') ? decision.note : undefined)
  const withText = offered.filter(option => option.meaning === 'deny-with-text')
  // A reason goes into the option that takes one, where there is one.
  if (meaning === 'deny' && said !== undefined && withText.length === 1)
    return { label: withText[0]!.label, text: said }
  const chosen = options.find(option => option.key === decision.option)
  const isOffered = offered.some(option => option.label === chosen?.label)
  const alike = optionsAlike(offered, meaning)
  const label = chosen && isOffered ? chosen.label : alike.length === 1 ? alike[0]!.label : null
  if (label === null) return null
  const takesText = meaning === 'deny-with-text' || meaning === 'text' || decision.tier === 'text'
  return { label, ...(takesText && said !== undefined && { text: said }) }
}

/** A form is filled in as a whole, or not at all. */
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

/** Options of one meaning. Some menus have no plain *No*: then what cancels, or a *No* that would also take a reason, is one. */
function optionsAlike(offered: ApprovalRecord['request']['options'], meaning: string) {
  const meanings = meaning === 'deny' ? DENIAL_MEANINGS : [meaning]
  return meanings.map(each => offered.filter(option => option.meaning === each)).find(found => found.length > 0) ?? []
}

/**
 * Whether the agent did as decided; an edited input must be the one that ran. A transcript does not tell that: it has the use of a tool as
 * the model wrote it, before anybody edited it.
 */
export function isAsDecided({ record, proof }: Pick<OpenRequest, 'record' | 'proof'>): boolean {
  if (!proof) return false
  const { decision } = record
  if ((proof.result === 'denied') !== isDenial(record)) return false
  if (decision?.editedInput === undefined || !proof.tool || proof.by === 'transcript') return true
  return isEqual(proof.tool.input, decision.editedInput)
}
