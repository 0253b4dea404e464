import { type ApprovalRequest, displayOf, requestFromMenu, requestFromReport } from '../../approvals/index.js'
import type { Menu } from '../../screen/index.js'
import { squash } from '../live/send-text.js'
import type { RequestContext } from './build-request.js'
import type { StartedTool } from './tool-uses.js'

interface FormQuestion {
  text: string
  header?: string
  multi: boolean
  options: { label: string }[]
}

/**
 * A form of several questions, of which the screen shows one page at a time: one request, as the agent told of it when it began to use the
 * tool. The newest such tool whose first question is on screen is the one. Null for a question that stands alone.
 */
export function requestOfForm(
  tools: readonly StartedTool[],
  menu: Menu,
  instance: string,
  { subject }: RequestContext,
): { request: ApprovalRequest; key: string } | null {
  for (const { key, tool, input, prompt, subAgent } of tools) {
    const questions = questionsOf(input)
    if (questions.length < 2 || squash(questions[0]!.text) !== squash(menu.question)) continue
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
      request: {
        ...request,
        display: displayOf({ tool, input: shownForm(questions), text: null, questions: [], title: questions[0]!.text }),
        menuPrint: menu.print,
        instance,
        ...(neverAuto !== undefined && { neverAuto }),
      },
    }
  }
  return null
}

/** Question by question, with what may be answered, in place of the form in which the agent wrote it down. */
function shownForm(questions: readonly FormQuestion[]): Record<string, string> {
  return Object.fromEntries(
    questions.map(({ text, multi, options }, index) => [
      `question ${index + 1}${multi ? ', any of' : ''}`,
      [text, ...options.map(({ label }) => `· ${label}`)].join('\n'),
    ]),
  )
}

/** The menu is another page of this form, or its summary. */
export function isPageOf({ request, kind }: Pick<ApprovalRequest, 'request' | 'kind'>, menu: Menu): boolean {
  if (kind !== 'question' || request.questions.length < 2) return false
  return (
    menu.tabs.some(tab => tab.current && tab.state === 'submit') ||
    request.questions.some(({ text }) => squash(text) === squash(menu.question))
  )
}

/** As agents write them: a list of questions with their options. What is not in that form is none. */
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
