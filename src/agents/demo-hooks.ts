import type { AgentHooks, HookAnswer, HookWiring } from './adapter.js'
import { hookArgv, writeSessionFile } from './hook-command.js'
import { requiredText } from './hook-payload.js'
import { isRecord, type JsonRecord, textOf } from './json-lines.js'
import type { AgentStatement, ToolStatement } from './report.js'

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'Stop',
  'Notification',
  'SessionEnd',
]

/** Writes the demo agent's settings file for one session. */
export function wireDemoHooks(wiring: HookWiring): string {
  const hooks = Object.fromEntries(
    EVENTS.map(event => [
      event,
      [{ command: hookArgv(wiring, event, { hold: event === 'PermissionRequest' && wiring.mayHold }) }],
    ]),
  )
  return writeSessionFile(wiring, 'demo-settings.json', JSON.stringify({ hooks }))
}

/** Like Claude Code's: a permission names no tool use; a denial or Esc is not reported. */
export const demoHooks: AgentHooks = { holds: true, read: readDemoHook, answer: answerDemo }

function readDemoHook(event: string, payload: JsonRecord): AgentStatement[] {
  const subAgent = textOf(payload.agent_id)
  return statements(event, payload).map(statement => (subAgent === undefined ? statement : { ...statement, subAgent }))
}

function statements(event: string, payload: JsonRecord): AgentStatement[] {
  switch (event) {
    case 'SessionStart': {
      const [transcript, cwd] = [textOf(payload.transcript_path), textOf(payload.cwd)]
      const agentSession = requiredText(payload, 'session_id')
      return [{ kind: 'session', agentSession, ...(transcript && { transcript }), ...(cwd && { cwd }) }]
    }
    case 'UserPromptSubmit':
      return [{ kind: 'prompt', text: requiredText(payload, 'prompt'), ...promptOf(payload) }]
    case 'PreToolUse':
      return [tool('started', payload)]
    case 'PostToolUse': {
      const response = isRecord(payload.tool_response) ? payload.tool_response : {}
      const output = textOf(response.output)
      return [{ ...tool(response.ok === false ? 'failed' : 'done', payload), ...(output && { output }) }]
    }
    case 'PermissionRequest': {
      const suggestions = Array.isArray(payload.permission_suggestions) ? payload.permission_suggestions : []
      return [
        {
          kind: 'request',
          key: textOf(payload.tool_use_id) ?? null,
          tool: requiredText(payload, 'tool_name'),
          input: payload.tool_input,
          ...promptOf(payload),
          ...(suggestions.length > 0 && { suggestions }),
        },
      ]
    }
    case 'Notification': {
      const type = textOf(payload.notification_type)
      if (type === undefined) return []
      const text = textOf(payload.message)
      return [
        { kind: 'waiting', waitsFor: type === 'permission_prompt' ? 'permission' : 'question', ...(text && { text }) },
      ]
    }
    case 'Stop':
      return [turnEnd(payload)]
    case 'SessionEnd':
      return [{ kind: 'ended', reason: requiredText(payload, 'reason') }]
    default:
      return []
  }
}

function turnEnd(payload: JsonRecord): AgentStatement {
  const text = textOf(payload.last_assistant_message)
  const { outcome } = payload
  // A denial or stop comes from a person.
  const ended = outcome === 'failed' ? 'failed' : outcome === 'done' ? 'done' : 'interrupted'
  return { kind: 'turn-ended', outcome: ended, ...(text && { text }) }
}

function tool(state: ToolStatement['state'], payload: JsonRecord): ToolStatement {
  const key = textOf(payload.tool_use_id) ?? null
  return {
    kind: 'tool',
    state,
    key,
    tool: requiredText(payload, 'tool_name'),
    input: payload.tool_input,
    ...promptOf(payload),
  }
}

function promptOf(payload: JsonRecord): { prompt?: string } {
  const prompt = textOf(payload.prompt_id)
  return prompt === undefined ? {} : { prompt }
}

function answerDemo({ behavior, message, updatedInput, sessionRule }: HookAnswer): string | null {
  if (updatedInput !== undefined && !isRecord(updatedInput)) return null
  const decision = {
    behavior,
    ...(message && { message }),
    ...(updatedInput !== undefined && { updatedInput }),
    ...(sessionRule !== undefined && { updatedPermissions: Array.isArray(sessionRule) ? sessionRule : [sessionRule] }),
  }
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })
}
