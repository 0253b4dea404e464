import type { ToolKind, ToolStep } from '../scenario/types.js'

export const PERMISSION_MODES = ['ask', 'edits', 'all', 'read'] as const
export type PermissionMode = (typeof PERMISSION_MODES)[number]

const CHANGES: readonly ToolKind[] = ['shell', 'write', 'edit']
const EDITS: readonly ToolKind[] = ['write', 'edit']

/**
 * Which tools may run without a question, and what the person allowed for the rest of the session.
 */
export class Permissions {
  private readonly granted = new Set<string>()

  constructor(
    readonly mode: PermissionMode,
    /**
     * Headless: every change needs a permission. In a terminal, only the tool uses that the
     * scenario marks.
     */
    private readonly isStrict: boolean,
  ) {}

  decide(step: ToolStep): 'run' | 'ask' | 'refuse' {
    const isChange = CHANGES.includes(step.kind) && !step.readOnly
    if (this.mode === 'all') return 'run'
    if (this.mode === 'read') return isChange ? 'refuse' : 'run'
    if (this.mode === 'edits') {
      if (EDITS.includes(step.kind)) return 'run'
      if (this.isStrict) return isChange ? 'refuse' : 'run'
    }
    const wantsLeave = step.permission !== undefined || (this.isStrict && isChange)
    return wantsLeave && !this.granted.has(grantKey(step)) ? 'ask' : 'run'
  }

  grant(step: ToolStep): void {
    this.granted.add(grantKey(step))
  }
}

function grantKey(step: ToolStep): string {
  return EDITS.includes(step.kind) ? 'edit' : `${step.kind}:${JSON.stringify(step.command ?? step.name)}`
}
