import { join } from 'node:path'
import type { AgentHooks, HookWiring } from './adapter.js'
import { hookLine, writeSessionFile } from './hook-command.js'
import { optionalText, requiredText, sessionStarted } from './hook-payload.js'
import { type JsonRecord, textOf } from './json-lines.js'
import type { AgentStatement } from './report.js'

/** Seconds. Reports must not delay the agent; the relay itself gives up after two. */
const TIMEOUT_S = 10

/** The hooks of 0.24 that Signalbox uses. */
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
 * Writes the settings that configure hooks for this session, and returns their path. They are
 * system defaults: everything that the person and the project set takes precedence, their hooks are
 * added to ours, and they can switch all hooks off.
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

/** Report only: the hook runs before the dialog is drawn, so holding locks the person out. */
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
      // It fires again, without the prompt, each time tool results go to the model.
      const text = textOf(payload.submitted_prompt)
      return text === undefined
        ? [{ kind: 'working' }]
        : [{ kind: 'prompt', text, ...optionalText('prompt', payload.prompt_id) }]
    }
    case 'PermissionRequest':
      return [{ kind: 'request', key: null, ...toolOf(payload) }]
    case 'PreToolUse':
      return [{ kind: 'tool', state: 'started', key: keyOf(payload), ...toolOf(payload) }]
    case 'PostToolUse':
      return [{ kind: 'tool', state: 'done', key: keyOf(payload), ...toolOf(payload) }]
    case 'PostToolUseFailure':
      return [
        {
          kind: 'tool',
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
          kind: 'turn-ended',
          outcome: 'done',
          ...optionalText('text', payload.last_assistant_message),
          ...(background > 0 && { background }),
        },
      ]
    }
    case 'StopFailure':
      return [{ kind: 'turn-ended', outcome: 'failed', ...optionalText('text', payload.error) }]
    case 'SubagentStop':
      return [{ kind: 'turn-ended', outcome: 'done', subAgent: textOf(payload.agent_id) ?? 'unknown' }]
    case 'SessionEnd':
      return [{ kind: 'ended', reason: textOf(payload.reason) ?? 'unknown' }]
    default:
      return []
  }
}

function notification(payload: JsonRecord): AgentStatement[] {
  const text = optionalText('text', payload.message)
  switch (payload.notification_type) {
    case 'permission_prompt':
      return [{ kind: 'waiting', waitsFor: 'permission', ...text }]
    case 'idle_prompt':
      return [{ kind: 'waiting', waitsFor: 'idle', ...text }]
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

/** The call id as the model gave it: the transcript uses the same. */
function keyOf(payload: JsonRecord): string | null {
  return textOf(payload.tool_call_id) ?? textOf(payload.tool_use_id) ?? null
}
