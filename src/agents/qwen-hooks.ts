import { join } from 'node:path'
import type { AgentHooks, HookWiring } from './adapter.js'
import { hookLine, writeSessionFile } from './hook-command.js'
import { optionalText, requiredText, sessionStarted } from './hook-payload.js'
import { type JsonRecord, textOf } from './json-lines.js'
import type { AgentStatement } from './report.js'

/** Seconds. Reports must not keep the agent waiting; the relay itself gives up after two. */
const TIMEOUT_S = 10

/** Hooks of 0.24 that say something we use. */
const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PermissionRequest',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'Stop',
  'StopFailure',
  'SubagentStop',
  'SessionEnd',
] as const

/**
 * Writes the settings that give this session its hooks, and says where they are. They are the system's defaults: below everything that the
 * person and the project have set, whose hooks are added to ours, and who may switch all hooks off.
 */
export function wireQwenHooks(wiring: HookWiring): string {
  const hooks = Object.fromEntries(
    EVENTS.map(event => [
      event,
      [{ hooks: [{ type: 'command', command: hookLine(wiring, event), timeout: TIMEOUT_S, name: 'signalbox' }] }],
    ]),
  )
  return writeSessionFile(wiring, 'qwen-defaults.json', `${JSON.stringify({ hooks }, null, 2)}\n`)
}

/** Observed only: the permission hook runs before the dialog is drawn, so holding it would lock the person out. */
export const qwenHooks: AgentHooks = {
  holds: false,
  read: readQwenHook,
  user: {
    file: env => join(env.HOME ?? '/', '.qwen', 'settings.json'),
    entries: line =>
      Object.fromEntries(
        EVENTS.map(event => [
          event,
          { hooks: [{ type: 'command', command: line(event), timeout: TIMEOUT_S, name: 'signalbox' }] },
        ]),
      ),
  },
}

function readQwenHook(event: string, payload: JsonRecord): AgentStatement[] {
  switch (event) {
    case 'SessionStart':
      return [sessionStarted(payload)]
    case 'UserPromptSubmit': {
      // It fires again, without the person's words, each time results of tools go to the model.
      const text = textOf(payload.submitted_prompt)
      return text === undefined
        ? [{ is: 'working' }]
        : [{ is: 'prompt', text, ...optionalText('prompt', payload.prompt_id) }]
    }
    case 'PermissionRequest':
      return [{ is: 'request', key: null, ...toolOf(payload) }]
    case 'PreToolUse':
      return [{ is: 'tool', state: 'started', key: keyOf(payload), ...toolOf(payload) }]
    case 'PostToolUse':
      return [{ is: 'tool', state: 'done', key: keyOf(payload), ...toolOf(payload) }]
    case 'PostToolUseFailure':
      return [
        {
          is: 'tool',
          state: 'failed',
          key: keyOf(payload),
          ...toolOf(payload),
          ...optionalText('output', payload.error),
        },
      ]
    case 'Notification':
      return notification(payload)
    case 'Stop': {
      const background = Array.isArray(payload.background_tasks) ? payload.background_tasks.length : 0
      return [
        {
          is: 'turn-ended',
          outcome: 'done',
          ...optionalText('text', payload.last_assistant_message),
          ...(background > 0 && { background }),
        },
      ]
    }
    case 'StopFailure':
      return [{ is: 'turn-ended', outcome: 'failed', ...optionalText('text', payload.error) }]
    case 'SubagentStop':
      return [{ is: 'turn-ended', outcome: 'done', subAgent: textOf(payload.agent_id) ?? 'unknown' }]
    case 'SessionEnd':
      return [{ is: 'ended', reason: textOf(payload.reason) ?? 'unknown' }]
    default:
      return []
  }
}

function notification(payload: JsonRecord): AgentStatement[] {
  const text = optionalText('text', payload.message)
  switch (payload.notification_type) {
    case 'permission_prompt':
      return [{ is: 'waiting', kind: 'permission', ...text }]
    case 'idle_prompt':
      return [{ is: 'waiting', kind: 'idle', ...text }]
    default:
      return []
  }
}

function toolOf(payload: JsonRecord) {
  return {
    tool: requiredText(payload, 'tool_name'),
    input: payload.tool_input,
    ...optionalText('prompt', payload.prompt_id),
  }
}

/** The id of the call as the model gave it: the transcript knows the call by the same. */
function keyOf(payload: JsonRecord): string | null {
  return textOf(payload.tool_call_id) ?? textOf(payload.tool_use_id) ?? null
}
