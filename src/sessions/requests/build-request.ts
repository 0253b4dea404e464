import { homedir } from 'node:os'
import {
  type ApprovalRecord,
  type ApprovalRequest,
  displayOf,
  matchMenu,
  rateRisk,
  requestFromMenu,
  requestFromReport,
  terminalOnlyReason,
} from '../../approvals/index.js'
import type { EventData } from '../../events/index.js'
import type { Menu } from '../../screen/index.js'
import { comparableText } from '../compare-text.js'
import type { RequestStatement, StartedTool } from './tool-uses.js'

/*
 * Builds what goes to the ledger: a request from the agent's report, from a menu together with the
 * tool use that it asks about, from a form of several questions; and what a menu adds to a request
 * that was reported before.
 */

type Option = ApprovalRequest['request']['options'][number]

export interface RequestContext {
  subject: ApprovalRequest['subject']
  mayHold: boolean
  /** What the answer channel can carry, if that is not everything. */
  can?: readonly Carried[] | undefined
}

type Carried = NonNullable<ApprovalRequest['source']['can']>[number]

/** What a waiting hook can carry besides an approval. */
const CAN_HOLD: readonly Carried[] = ['edit', 'deny', 'text', 'hold']

/**
 * A permission that the agent itself reports; `options` are those of its menu, if one is on screen.
 */
export function requestOfStatement(
  report: string,
  { tool, input, prompt, subAgent }: RequestStatement & { subAgent?: string },
  key: string | null,
  { subject, mayHold, can = CAN_HOLD }: RequestContext,
  options?: readonly Option[],
): ApprovalRequest {
  return requestFromReport(
    {
      channel: 'hook',
      requestKey: report,
      tool,
      input: input ?? null,
      evidence: [{ kind: 'hook', report }],
      ...(options && { options: options.map(({ key: name, label, meaning }) => ({ key: name, label, meaning })) }),
      ...(mayHold && { can: [...can] }),
      ...(key !== null && { toolUseId: key }),
      ...(prompt !== undefined && { turn: prompt }),
      ...(subAgent !== undefined && { subAgent }),
    },
    { subject },
  )
}

/**
 * A menu for a tool that the agent has just reported to start: the first tool of the list whose
 * command or path the menu shows; else the only one of which it shows a part.
 */
export function requestOfTool(
  tools: readonly StartedTool[],
  menu: Menu,
  instance: string,
  { subject, mayHold, can = CAN_HOLD }: RequestContext,
): { request: ApprovalRequest; key: string; isWhole: boolean } | null {
  const matches = tools.map(tool => ({ tool, match: matchMenu(menu, tool.tool, tool.input) }))
  const parts = matches.filter(({ match }) => match === 'part')
  const found = matches.find(({ match }) => match === 'whole') ?? (parts.length === 1 ? parts[0]! : null)
  if (!found) return null
  const { key, tool, input, prompt, subAgent } = found.tool
  const isWhole = found.match === 'whole'
  const shown = requestFromMenu(menu, { kind: 'permission', subject, instance })
  const request = requestFromReport(
    {
      channel: 'hook',
      requestKey: `tool:${key}`,
      tool,
      input,
      toolUseId: key,
      evidence: [{ kind: 'hook', toolUse: key }, ...shown.source.evidence],
      options: shown.request.options.map(({ key: name, label, meaning }) => ({ key: name, label, meaning })),
      ...(mayHold && { can: [...can] }),
      ...(prompt !== null && { turn: prompt }),
      ...(subAgent !== null && { subAgent }),
    },
    { subject },
  )
  return { key, isWhole, request: withMenu(request, shown, menu, { isGuess: !isWhole }) }
}

/** A request that was reported, with what its menu adds to it. */
function withMenu(
  request: ApprovalRequest,
  { instance, neverAuto }: Pick<ApprovalRequest, 'instance' | 'neverAuto'>,
  menu: Menu,
  about: { isGuess: boolean },
): ApprovalRequest {
  const terminalOnly = terminalOnlyReason(menu, about)
  return {
    ...request,
    menuHash: menu.hash,
    instance,
    ...(neverAuto !== undefined && { neverAuto }),
    ...(terminalOnly !== undefined && { terminalOnly }),
  }
}

/**
 * The screen came first; now the agent has reported the request in full. The options stay those on
 * screen, unless nothing proves that the menu belongs to the request.
 */
export function requestReplacing(
  { record, menu }: { record: ApprovalRecord; menu: Menu | null },
  report: string,
  statement: RequestStatement,
  key: string | null,
  context: RequestContext,
  { isGuess }: { isGuess: boolean },
): ApprovalRequest {
  const options = isGuess ? undefined : record.request.options
  const full = requestOfStatement(report, statement, key, context, options)
  if (menu) return withMenu(full, record, menu, { isGuess })
  const { instance, menuHash, terminalOnly } = record
  return { ...full, instance, ...(menuHash !== undefined && { menuHash }), ...(terminalOnly && { terminalOnly }) }
}

/** What the menu adds to a request reported before it; contradictions show both. */
export function joinedMenu(
  record: ApprovalRecord,
  menu: Menu,
  instance: string,
  { mismatch, isGuess = false }: { mismatch?: string; isGuess?: boolean },
): EventData<'approval.joined'> {
  const { subject } = record
  const shown = requestFromMenu(menu, { kind: record.kind, subject, instance })
  const { tool, input } = record.request
  return {
    channel: 'screen',
    requestKey: instance,
    evidence: shown.source.evidence,
    menuHash: menu.hash,
    screenOptions: shown.request.options,
    terminalOnly: terminalOnlyReason(menu, { isGuess }) ?? null,
    ...(mismatch !== undefined && {
      mismatch,
      risk: rateRisk(
        { kind: record.kind, tool, input, text: shown.request.text, cwd: subject.cwd, mismatch },
        { project: subject.project, home: homedir() },
      ),
      display: displayOf({ tool, input, text: shown.request.text, questions: record.request.questions, mismatch }),
    }),
  }
}

// — forms —

interface FormQuestion {
  text: string
  header?: string
  multi: boolean
  options: { label: string }[]
}

/**
 * A form of several questions, of which the screen shows one page at a time, as one request: the
 * agent reported all questions when it started the tool. It is the first tool of the list whose
 * first question is on screen. Null for a single question.
 */
export function requestOfForm(
  tools: readonly StartedTool[],
  menu: Menu,
  instance: string,
  { subject }: RequestContext,
): { request: ApprovalRequest; key: string; isWhole: boolean } | null {
  for (const { key, tool, input, prompt, subAgent } of tools) {
    const questions = questionsOf(input)
    if (questions.length < 2 || comparableText(questions[0]!.text) !== comparableText(menu.question)) continue
    const shown = requestFromMenu(menu, { kind: 'question', subject, instance })
    const request = requestFromReport(
      {
        channel: 'hook',
        requestKey: `tool:${key}`,
        kind: 'question',
        tool,
        input,
        questions,
        toolUseId: key,
        evidence: [{ kind: 'hook', toolUse: key }, ...shown.source.evidence],
        ...(prompt !== null && { turn: prompt }),
        ...(subAgent !== null && { subAgent }),
      },
      { subject },
    )
    const { neverAuto } = shown
    return {
      key,
      isWhole: true,
      request: {
        ...request,
        display: displayOf({ tool, input: shownForm(questions), text: null, questions: [], title: questions[0]!.text }),
        menuHash: menu.hash,
        instance,
        ...(neverAuto !== undefined && { neverAuto }),
      },
    }
  }
  return null
}

/**
 * The questions with their possible answers, instead of the JSON in which the agent reported them.
 */
function shownForm(questions: readonly FormQuestion[]): Record<string, string> {
  return Object.fromEntries(
    questions.map(({ text, multi, options }, index) => [
      `question ${index + 1}${multi ? ', any of' : ''}`,
      [text, ...options.map(({ label }) => `· ${label}`)].join('\n'),
    ]),
  )
}

/** Whether one of these tools asks the question of the menu. */
export function isQuestionOf(tools: readonly StartedTool[], { question }: Pick<Menu, 'question'>): boolean {
  const asked = comparableText(question)
  return (
    asked !== '' && tools.some(({ input }) => questionsOf(input).some(({ text }) => comparableText(text) === asked))
  )
}

/** Whether the menu is another page of this form, or its summary. */
export function isPageOf({ request, kind }: Pick<ApprovalRequest, 'request' | 'kind'>, menu: Menu): boolean {
  if (kind !== 'question' || request.questions.length < 2) return false
  return (
    menu.tabs.some(tab => tab.current && tab.state === 'submit') ||
    request.questions.some(({ text }) => comparableText(text) === comparableText(menu.question))
  )
}

/**
 * The questions of a tool's input, in the form in which agents write them; anything else has none.
 */
function questionsOf(input: unknown): FormQuestion[] {
  const listed = isRecord(input) && Array.isArray(input.questions) ? input.questions : []
  return listed.flatMap((entry: unknown): FormQuestion[] => {
    if (!isRecord(entry) || typeof entry.question !== 'string') return []
    const options = Array.isArray(entry.options) ? entry.options : []
    return [
      {
        text: entry.question,
        multi: entry.multiSelect === true,
        options: options.flatMap((option: unknown) =>
          isRecord(option) && typeof option.label === 'string' ? [{ label: option.label }] : [],
        ),
        ...(typeof entry.header === 'string' && { header: entry.header }),
      },
    ]
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
