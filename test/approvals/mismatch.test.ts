import { describe, expect, test } from 'vitest'
import { type ApprovalRecord, displayOf, displayText, rateRisk, requestFromReport } from '../../src/approvals/index.js'
import { whyManualOnly } from '../../src/approvals/manual-only.js'
import { approvalsProjection } from '../../src/approvals/record.js'
import type { ApprovalInfo } from '../../src/cli/approvals/approval-info.js'
import { contentLines, factLines } from '../../src/cli/approvals/request-lines.js'
import { InputReader } from '../../src/cli/cockpit/input.js'
import { press } from '../../src/cli/cockpit/press.js'
import { rowsOf } from '../../src/cli/cockpit/rows.js'
import { INITIAL_VIEW } from '../../src/cli/cockpit/view.js'
import type { PaneNotification } from '../../src/notifications/notification.js'
import { pushPayload } from '../../src/notifications/push/payload.js'
import { approvalCard, type CardContext } from '../../src/telegram/cards/approval-card.js'

/*
 * What the screen shows and what the hook reports differ: every surface shows the difference, and
 * none lets a person allow the request with one press. The same request without it can be allowed
 * so, except in a batch or by a grant, where the policy decides.
 */

const subject = { agent: 'claude', session: 'ses_1', project: '/p', cwd: '/p', hostName: 'h' }
const [tool, input] = ['Read', { file_path: '/p/README.md' }]
const event = (type: string, version: number, data: unknown) =>
  ({ stream: 'approval/apr_1', version, type, at: version, data }) as Parameters<typeof approvalsProjection.evolve>[1]

const agreed = approvalsProjection.evolve(
  null as never,
  event(
    'approval.requested',
    1,
    requestFromReport(
      { channel: 'hook', requestKey: 'k', tool, input },
      { subject, home: '/h', realPath: path => path },
    ),
  ),
) as ApprovalRecord
const mismatch = 'the agent asks for README.md, the menu shows .env'
const differing = approvalsProjection.evolve(
  agreed,
  event('approval.joined', 2, {
    channel: 'screen',
    requestKey: '3:1',
    evidence: [{ kind: 'screen' }],
    mismatch,
    risk: rateRisk(
      { kind: 'permission', tool, input, text: 'Read .env?', cwd: '/p', mismatch },
      { project: '/p', home: '/h' },
    ),
    display: displayOf({ tool, input, text: 'Read .env?', questions: [], mismatch }),
  }),
) as ApprovalRecord

const CARD: CardContext = {
  now: 5,
  utcOffset: 0,
  isDetailed: true,
  project: 'p',
  sessionName: null,
  machine: null,
  lastPrompt: null,
  view: 'plain',
  isSeen: false,
  ticked: [],
  page: 0,
  topic: null,
  link: null,
  changes: null,
}
const notice = {
  kind: 'approval',
  pane: 'ses_1',
  approval: 'apr_1',
  url: '/a/apr_1',
  project: 'p',
  title: '',
  body: '',
}

/** Whether one press allows it, and what is shown of it. */
const SURFACES: Record<string, (record: ApprovalRecord) => { allowsAtOnce: boolean; shown: string }> = {
  'Web Push': record => {
    const { answers = [], body } = pushPayload(notice as unknown as PaneNotification, record)
    return { allowsAtOnce: answers.includes('allow'), shown: body }
  },
  Telegram: record => {
    const { html, buttons } = approvalCard(record, CARD)
    const allow = buttons.flat().find(({ text }) => text.startsWith('Allow once'))
    return { allowsAtOnce: allow !== undefined && 'action' in allow && allow.action.do === 'decide', shown: html }
  },
  'the cockpit': record => {
    const rows = rowsOf([], [record as unknown as ApprovalInfo])
    const shown = { rows, size: { cols: 100, rows: 30 }, maxScroll: 0, isRead: true, isNew: false, refusal: null }
    const view = { ...INITIAL_VIEW, selected: rows[0]!.id }
    const [input] = new InputReader().push('a')
    const lines = contentLines(record as unknown as ApprovalInfo)
    return { allowsAtOnce: press(view, input!, shown).command !== null, shown: textOf(lines) }
  },
  'the command line': record => ({
    // It asks [y/N] for everything that is not low.
    allowsAtOnce: record.risk.level === 'low',
    shown: textOf([
      ...contentLines(record as unknown as ApprovalInfo),
      ...factLines(record as unknown as ApprovalInfo),
    ]),
  }),
  'the text of every other surface': record => ({
    allowsAtOnce: whyManualOnly(record) === null,
    shown: displayText(record.display),
  }),
}

function textOf(lines: readonly { cells: readonly { text: string }[] }[]): string {
  return lines.map(({ cells }) => cells.map(({ text }) => text).join('')).join('\n')
}

describe.each(Object.entries(SURFACES))('%s', (_, surface) => {
  test('allows a low risk with one press', () => {
    expect(surface(agreed).allowsAtOnce).toBe(true)
  })

  test('shows that report and screen differ, and does not allow the request with one press', () => {
    const { allowsAtOnce, shown } = surface(differing)
    expect(allowsAtOnce).toBe(false)
    expect(shown).toContain('the menu shows .env')
  })
})
