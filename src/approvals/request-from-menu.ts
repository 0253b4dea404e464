import { homedir } from 'node:os'
import type { Menu } from '../screen/index.js'
import { displayOf } from './display.js'
import { fingerprintOf } from './fingerprint.js'
import { manualOnlyReason, terminalOnlyReason } from './manual-only.js'
import type { ApprovalRequest } from './record.js'
import type { ToolUse } from './risk/tool-input.js'
import { rateRisk } from './risk.js'

/**
 * The kind of approval for a menu; null for menus that are not requests (surveys, pickers that a
 * person opened).
 */
export function approvalKindOf(menu: Menu): ApprovalRequest['kind'] | null {
  if (menu.origin === 'user') return null
  switch (menu.kind) {
    case 'permission':
    case 'plan':
    case 'auth':
      return menu.kind
    case 'survey':
    case 'picker':
      return null
    default:
      return 'question'
  }
}

/**
 * A live menu as a request for a decision: question, options, and the fingerprint that a decision
 * is bound to.
 */
export function requestFromMenu(
  menu: Menu,
  context: { kind: ApprovalRequest['kind']; subject: ApprovalRequest['subject']; instance: string; home?: string },
): ApprovalRequest {
  const { kind, subject, instance } = context
  const text = [...menu.body, menu.question].join('\n')
  const options = optionsOf(menu)
  const tool = menu.title ?? menu.kind
  const questions = [{ text: menu.question, multi: menu.multi }]
  const printed = {
    kind,
    agent: subject.agent,
    subAgent: subject.subAgent,
    tool,
    input: null,
    text,
    cwd: subject.cwd,
    questions,
    options,
  }
  const onScreen = toolUseOnScreen(menu)
  const neverAuto = manualOnlyReason(menu)
  const isCut = menu.isCut || menu.more.above || menu.more.below
  // A report of the agent may show it later.
  const elsewhere = menu.isElsewhere ? 'the dialog on the screen does not contain what it asks about' : undefined
  const terminalOnly = terminalOnlyReason(menu) ?? elsewhere
  return {
    kind,
    subject,
    request: { tool, input: null, text, questions, options, freeText: freeTextOf(menu) },
    source: {
      channel: 'screen',
      requestKey: instance,
      evidence: [{ kind: 'menu', rows: menu.rows, proofs: menu.live.proofs }],
    },
    fingerprint: fingerprintOf({ ...printed, session: subject.session ?? '' }),
    sharedFingerprint: fingerprintOf({ ...printed, session: '' }),
    menuHash: menu.hash,
    instance,
    risk: rateRisk(
      {
        kind,
        tool,
        input: null,
        text,
        labels: options.map(({ label }) => label),
        cwd: subject.cwd,
        isCut,
        ...(onScreen && { onScreen }),
      },
      { project: subject.project, home: context.home ?? homedir() },
    ),
    display: displayOf({ tool, input: null, text, questions }),
    ...(neverAuto !== undefined && { neverAuto }),
    ...(terminalOnly !== undefined && { terminalOnly }),
  }
}

function optionsOf(menu: Menu): ApprovalRequest['request']['options'] {
  return menu.options.map(option => ({
    key: option.label,
    label: option.label,
    meaning: option.meaning,
    from: 'agent' as const,
    danger: option.danger ? 'extends what runs without asking' : null,
    ...(option.detail !== undefined && { detail: option.detail }),
  }))
}

/** Signalbox never types a secret, so a field for one takes no text. */
function freeTextOf({ text, options }: Menu): ApprovalRequest['request']['freeText'] {
  if (!text || text.secret) return 'none'
  return options.length === 0 ? 'required' : 'optional'
}

/**
 * The tool use that a menu is about, where the screen shows it clearly: a tool with its command or
 * path, or a body of one line after a `$`. In a body of several lines it is unclear where the
 * command ends.
 */
export function toolUseOnScreen(menu: Pick<Menu, 'tool' | 'body'>): ToolUse | null {
  const { tool, body } = menu
  if (tool?.command !== undefined) return { kind: 'command', command: tool.command }
  if (tool?.path !== undefined && (tool.kind === 'read' || tool.kind === 'search'))
    return { kind: 'read', paths: [tool.path] }
  if (tool?.path !== undefined) return { kind: 'write', paths: [tool.path] }
  if (tool?.url !== undefined) return { kind: 'fetch', urls: [tool.url] }
  const lines = body.map(line => line.trim()).filter(line => line !== '')
  const [first] = lines
  return lines.length === 1 && first!.startsWith('$ ') ? { kind: 'command', command: first!.slice(2) } : null
}
