/** One name for each event, whatever agents call it (letters only, lower case). */
const ALIASES: Readonly<Record<string, string>> = {
  sessioncreated: 'SessionStart',
  sessiondeleted: 'SessionEnd',
  prompt: 'UserPromptSubmit',
  promptsubmit: 'UserPromptSubmit',
  userprompt: 'UserPromptSubmit',
  beforeagent: 'UserPromptSubmit',
  pretool: 'PreToolUse',
  beforetool: 'PreToolUse',
  toolexecutebefore: 'PreToolUse',
  posttool: 'PostToolUse',
  aftertool: 'PostToolUse',
  toolexecuteafter: 'PostToolUse',
  permission: 'PermissionRequest',
  permissionasked: 'PermissionRequest',
  permissionupdated: 'PermissionRequest',
  approvalrequested: 'PermissionRequest',
  permissionprompt: 'Notification:permission_prompt',
  idleprompt: 'Notification:idle_prompt',
  afteragent: 'Stop',
  agentturncomplete: 'Stop',
  sessionidle: 'Stop',
  sessionerror: 'StopFailure',
}

const CANONICAL = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'Notification',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
]

/** Never dropped, however many arrive: losing one would leave a pane waiting or working forever. */
const PROTECTED = new Set(['PermissionRequest', 'Elicitation', 'Stop', 'StopFailure', 'SessionEnd'])

const byLetters = new Map([...CANONICAL.map(name => [lettersOf(name), name] as const), ...Object.entries(ALIASES)])

/** The canonical name of an event; null if unknown. A plain Notification is split by its type. */
export function canonicalEvent(event: string, payload: Readonly<Record<string, unknown>> = {}): string | null {
  const name = byLetters.get(lettersOf(event)) ?? null
  const kind = payload.notification_type
  return name === 'Notification' && typeof kind === 'string' ? `Notification:${kind}` : name
}

export function isProtected(event: string): boolean {
  return PROTECTED.has(canonicalEvent(event) ?? '')
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '')
}
