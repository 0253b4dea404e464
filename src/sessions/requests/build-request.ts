import { homedir } from 'node:os'
import {
  type ApprovalRecord,
  type ApprovalRequest,
  displayOf,
  joinReports,
  rateRisk,
  requestFromMenu,
  requestFromReport,
} from '../../approvals/index.js'
import type { EventData } from '../../events/index.js'
import type { Menu } from '../../screen/index.js'
import type { RequestStatement, StartedTool } from './tool-uses.js'

type Option = ApprovalRequest['request']['options'][number]

export interface RequestContext {
  subject: ApprovalRequest['subject']
  mayHold: boolean
  /** What the way back to the agent can carry, where that is less than all. */
  can?: readonly Carried[] | undefined
}

type Carried = NonNullable<ApprovalRequest['source']['can']>[number]

/** What a hook that waits can carry beyond a yes. */
const CAN_HOLD: readonly Carried[] = ['edit', 'deny', 'text', 'hold']

/** A permission that the agent reports by itself; `options` are those of its menu where one is on screen. */
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
 * A menu on screen for a tool that the agent has just said it will use: the same thing, known from both sides at once. The newest tool
 * whose command or path the menu shows is the one.
 */
export function requestOfTool(
  tools: readonly StartedTool[],
  menu: Menu,
  instance: string,
  { subject, mayHold, can = CAN_HOLD }: RequestContext,
): { request: ApprovalRequest; key: string } | null {
  const shown = requestFromMenu(menu, { kind: 'permission', subject, instance })
  for (const { key, tool, input, prompt, subAgent } of tools) {
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
    const candidate: ApprovalRecord = {
      ...request,
      id: 'candidate',
      state: 'pending',
      version: 0,
      requestedAt: 0,
      delivery: [],
    }
    const join = joinReports([candidate], {
      channel: 'screen',
      requestKey: instance,
      session: subject.session ?? '',
      menu,
    })
    if (join.do !== 'join' || join.mismatch !== undefined) continue
    const { neverAuto } = shown
    return {
      key,
      request: { ...request, menuPrint: menu.print, instance, ...(neverAuto !== undefined && { neverAuto }) },
    }
  }
  return null
}

/** What the menu adds to a request that was reported before it appeared. Where the two contradict each other, both are shown. */
export function joinedMenu(
  record: ApprovalRecord,
  menu: Menu,
  instance: string,
  mismatch: string | undefined,
): EventData<'approval.joined'> {
  const { subject } = record
  const shown = requestFromMenu(menu, { kind: record.kind, subject, instance })
  const { tool, input } = record.request
  return {
    channel: 'screen',
    requestKey: instance,
    evidence: shown.source.evidence,
    menuPrint: menu.print,
    screenOptions: shown.request.options,
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
