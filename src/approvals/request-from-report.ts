import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { posix } from 'node:path'
import { displayOf } from './display.js'
import { fingerprintOf } from './fingerprint.js'
import type { ApprovalRequest } from './record.js'
import { resolvePath } from './risk/path.js'
import { readToolUse } from './risk/tool-input.js'
import { rateRisk } from './risk.js'

type Option = ApprovalRequest['request']['options'][number]

/**
 * A request that an agent reports through a structured channel: a hook, a permission call, an RPC.
 */
export interface StructuredReport {
  /** `hook`, `permission-tool`, `app-server`, `acp` … */
  channel: string
  /** The channel's id of the request; the answer carries the same id. */
  requestKey: string
  tool: string
  input: unknown
  kind?: ApprovalRequest['kind']
  questions?: readonly { text: string; header?: string; multi: boolean; options?: readonly { label: string }[] }[]
  /** The options of the channel; by default Signalbox offers to allow once and to deny. */
  options?: readonly Omit<Option, 'from' | 'danger'>[]
  can?: ApprovalRequest['source']['can']
  toolUseId?: string
  turn?: string
  subAgent?: string
  /** For a tool of an MCP server: SHA-256 of its launch command. */
  launch?: string
  deadline?: ApprovalRequest['deadline']
  evidence?: ApprovalRequest['source']['evidence']
}

interface ReportContext {
  subject: ApprovalRequest['subject']
  home?: string
  /** Resolves symbolic links; by default with the file system. */
  realPath?: (path: string) => string
}

const ALLOW_OR_DENY: readonly Omit<Option, 'from' | 'danger'>[] = [
  { key: 'allow', label: 'Allow once', meaning: 'allow-once' },
  { key: 'deny', label: 'Deny', meaning: 'deny' },
]

/** A report as a request: its content is the reported input; screens only add. */
export function requestFromReport(report: StructuredReport, context: ReportContext): ApprovalRequest {
  const { tool, input } = report
  const realPath = context.realPath ?? realPathOf
  const subject = { ...context.subject, ...(report.subAgent !== undefined && { subAgent: report.subAgent }) }
  const kind = report.kind ?? kindOf(tool, input)
  const questions = (report.questions ?? []).map(({ text, header, multi }) => ({
    text,
    multi,
    ...(header !== undefined && { header }),
  }))
  const options = optionsOf(report, kind)
  const targets = targetsOf(tool, input, subject, context.home ?? homedir(), realPath)
  const printed = {
    kind,
    agent: subject.agent,
    subAgent: subject.subAgent,
    tool,
    launch: report.launch,
    input,
    text: null,
    cwd: realPath(subject.cwd),
    questions,
    options,
  }
  return {
    kind,
    subject,
    request: {
      tool,
      input,
      text: null,
      questions,
      options,
      freeText: kind === 'question' ? 'optional' : 'none',
      ...(targets.length > 0 && { targets }),
      ...(report.launch !== undefined && { launch: report.launch }),
    },
    source: {
      channel: report.channel,
      requestKey: report.requestKey,
      evidence: [...(report.evidence ?? [{ kind: report.channel }])],
      ...(report.toolUseId !== undefined && { toolUseId: report.toolUseId }),
      ...(report.turn !== undefined && { turn: report.turn }),
      ...(report.can && { can: report.can }),
    },
    fingerprint: fingerprintOf({ ...printed, session: subject.session ?? subject.effect ?? '' }),
    // The options depend on who reports the tool use first: the menu's own, or Allow and Deny.
    sharedFingerprint: fingerprintOf({ ...printed, session: '', options: kind === 'permission' ? [] : options }),
    instance: report.requestKey,
    risk: rateRisk(
      { kind, tool, input, text: null, cwd: subject.cwd },
      { project: subject.project, home: context.home ?? homedir(), realPath },
    ),
    display: displayOf({ tool, input, text: null, questions, targets }),
    ...(report.deadline && { deadline: report.deadline }),
  }
}

function kindOf(tool: string, input: unknown): ApprovalRequest['kind'] {
  const { kind } = readToolUse(tool, input)
  return kind === 'question' || kind === 'plan' ? kind : 'permission'
}

/** With several questions, the key of an option carries the number of its question. */
function optionsOf({ options, questions = [] }: StructuredReport, kind: ApprovalRequest['kind']): Option[] {
  if (options) return options.map(option => ({ ...option, from: 'agent' as const, danger: dangerOf(option.meaning) }))
  const asked = questions.flatMap((question, index) =>
    (question.options ?? []).map(({ label }) => ({
      key: questions.length > 1 ? `${index}:${label}` : label,
      label,
      meaning: 'choice' as const,
      from: 'agent' as const,
      danger: null,
      question: index,
    })),
  )
  if (asked.length > 0 || kind === 'question') return asked
  return ALLOW_OR_DENY.map(option => ({ ...option, from: 'signalbox' as const, danger: null }))
}

function dangerOf(meaning: Option['meaning']): string | null {
  return meaning === 'allow-session' || meaning === 'allow-always' ? 'extends what runs without asking' : null
}

function targetsOf(
  tool: string,
  input: unknown,
  { project, cwd }: ApprovalRequest['subject'],
  home: string,
  realPath: (path: string) => string,
): NonNullable<ApprovalRequest['request']['targets']> {
  const use = readToolUse(tool, input)
  if (use.kind !== 'read' && use.kind !== 'write') return []
  const { kind: access } = use
  return use.paths.map(path => {
    const whole = resolvePath(path, { project, home, cwd }) ?? path
    return { path, real: realPath(whole), access }
  })
}

/** The real path: links are resolved as far as the path exists, the rest is appended unchanged. */
export function realPathOf(path: string): string {
  let existing = path
  let rest = ''
  for (;;) {
    try {
      return posix.join(realpathSync(existing), rest)
    } catch {
      const parent = posix.dirname(existing)
      if (parent === existing) return path
      rest = posix.join(posix.basename(existing), rest)
      existing = parent
    }
  }
}
