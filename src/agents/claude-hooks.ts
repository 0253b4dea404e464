import { join } from 'node:path'
import type { AgentHooks, HookAnswer, HookWiring } from './adapter.js'
import { hookLine, writeSessionFile } from './hook-command.js'
import { ofSubAgent, optionalText, requiredText, sessionStarted, subAgentEnded } from './hook-payload.js'
import { isRecord, type JsonRecord, textOf } from './json-lines.js'
import type { AgentStatement, ToolStatement } from './report.js'

/** Reports must not delay the agent; the relay itself gives up after two seconds. */
const REPORT_TIMEOUT_S = 10
/** A person may decide the next day. The agent's own default is ten minutes. */
const HOLD_TIMEOUT_S = 24 * 60 * 60
/** Dialogs that are forms: allowing them through a hook would submit the form empty. */
const FORMS = new Set(['AskUserQuestion', 'ExitPlanMode'])

/** The hooks of 2.1.325 that Signalbox uses; those with a matcher concern one tool. */
const EVENTS: readonly { event: string; hasMatcher?: true }[] = [
  { event: 'SessionStart' },
  { event: 'UserPromptSubmit' },
  { event: 'PreToolUse', hasMatcher: true },
  { event: 'PermissionRequest', hasMatcher: true },
  { event: 'PermissionDenied', hasMatcher: true },
  { event: 'PostToolUse', hasMatcher: true },
  { event: 'PostToolUseFailure', hasMatcher: true },
  { event: 'Notification' },
  { event: 'Stop' },
  { event: 'StopFailure' },
  { event: 'SubagentStart' },
  { event: 'SubagentStop' },
  { event: 'SessionEnd' },
]

/** Writes the session's hook settings; `--settings` adds to the person's own. */
export function wireClaudeHooks(wiring: HookWiring): string {
  const hooks = Object.fromEntries(
    EVENTS.map(({ event, hasMatcher }) => {
      const hold = event === 'PermissionRequest' && wiring.mayHold
      const timeout = hold ? HOLD_TIMEOUT_S : REPORT_TIMEOUT_S
      const handler = { type: 'command', command: hookLine(wiring, event, { hold }), timeout }
      return [event, [{ ...(hasMatcher && { matcher: '*' }), hooks: [handler] }]]
    }),
  )
  return writeSessionFile(wiring, 'claude-settings.json', `${JSON.stringify({ hooks }, null, 2)}\n`)
}

export const claudeHooks: AgentHooks = {
  holds: true,
  read: readClaudeHook,
  answer: answerClaude,
  user: {
    file: env => join(env.CLAUDE_CONFIG_DIR || join(env.HOME ?? '/', '.claude'), 'settings.json'),
    entries: line =>
      Object.fromEntries(
        EVENTS.map(({ event, hasMatcher }) => [
          event,
          {
            ...(hasMatcher && { matcher: '*' }),
            hooks: [{ type: 'command', command: line(event), timeout: REPORT_TIMEOUT_S }],
          },
        ]),
      ),
  },
}

function readClaudeHook(event: string, payload: JsonRecord): AgentStatement[] {
  return ofSubAgent(payload, statements(event, payload))
}

function statements(event: string, payload: JsonRecord): AgentStatement[] {
  switch (event) {
    case 'SessionStart':
      return [sessionStarted(payload)]
    case 'UserPromptSubmit':
      return [{ kind: 'prompt', text: requiredText(payload, 'prompt'), ...optionalText('prompt', payload.prompt_id) }]
    case 'PreToolUse':
      return [tool('started', payload)]
    case 'PostToolUse':
      return [{ ...tool('done', payload), ...optionalText('output', responseText(payload.tool_response)) }]
    case 'PostToolUseFailure':
      return [{ ...tool('failed', payload), ...optionalText('output', payload.error) }]
    case 'PermissionDenied':
      return [{ ...tool('denied', payload), ...optionalText('output', payload.reason) }]
    case 'PermissionRequest':
      return [request(payload)]
    case 'Notification':
      return notification(payload)
    case 'Stop':
      return [
        {
          kind: 'turn-ended',
          outcome: 'done',
          ...optionalText('text', payload.last_assistant_message),
          ...(Array.isArray(payload.background_tasks) && { background: payload.background_tasks.length }),
        },
      ]
    case 'StopFailure':
      return [
        {
          kind: 'turn-ended',
          outcome: 'failed',
          ...optionalText('text', payload.error_details ?? payload.last_assistant_message ?? payload.error),
        },
      ]
    case 'SubagentStart':
      return [
        { kind: 'working', subAgent: requiredText(payload, 'agent_id'), ...optionalText('name', payload.agent_type) },
      ]
    case 'SubagentStop':
      return [subAgentEnded(payload)]
    case 'SessionEnd':
      // For these two reasons the program continues with another conversation, which it announces.
      return payload.reason === 'clear' || payload.reason === 'resume'
        ? []
        : [{ kind: 'ended', reason: requiredText(payload, 'reason') }]
    default:
      return []
  }
}

function tool(state: ToolStatement['state'], payload: JsonRecord): ToolStatement {
  return {
    kind: 'tool',
    state,
    key: textOf(payload.tool_use_id) ?? null,
    tool: requiredText(payload, 'tool_name'),
    input: payload.tool_input,
    ...optionalText('prompt', payload.prompt_id),
  }
}

/** It has no tool use id: the receiver joins it to the last `PreToolUse` by tool and input. */
function request(payload: JsonRecord): AgentStatement {
  const name = requiredText(payload, 'tool_name')
  const suggestions = payload.permission_suggestions
  return {
    kind: 'request',
    key: textOf(payload.tool_use_id) ?? null,
    tool: name,
    input: payload.tool_input,
    ...optionalText('prompt', payload.prompt_id),
    ...(Array.isArray(suggestions) && suggestions.length > 0 && { suggestions }),
    ...(FORMS.has(name) && { viaScreen: true as const }),
  }
}

function notification(payload: JsonRecord): AgentStatement[] {
  const kinds: Readonly<Record<string, 'permission' | 'idle' | 'question'>> = {
    permission_prompt: 'permission',
    idle_prompt: 'idle',
    elicitation_dialog: 'question',
  }
  const type = textOf(payload.notification_type) ?? ''
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  return kind === undefined ? [] : [{ kind: 'waiting', waitsFor: kind, ...optionalText('text', payload.message) }]
}

/**
 * The decision in the format of the `PermissionRequest` hook. There is a third behaviour, *ask*,
 * which some releases treated as *allow*: it is never used. A denial without a reason also stops
 * the turn, as *No* in the dialog does; with a reason the agent continues.
 */
function answerClaude({ behavior, message, updatedInput, sessionRule }: HookAnswer): string | null {
  const rules = sessionRule === undefined ? [] : forSession(sessionRule)
  if (rules === null || (updatedInput !== undefined && !isRecord(updatedInput))) return null
  const decision =
    behavior === 'deny'
      ? { behavior, ...(message ? { message } : { interrupt: true }) }
      : {
          behavior,
          ...(updatedInput !== undefined && { updatedInput }),
          ...(rules.length > 0 && { updatedPermissions: rules }),
        }
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })
}

/** The agent offers rules for its settings files; a rule granted here ends with the session. */
function forSession(rule: unknown): JsonRecord[] | null {
  const rules = Array.isArray(rule) ? rule : [rule]
  return rules.every(isRecord) ? rules.map(each => ({ ...each, destination: 'session' })) : null
}

function responseText(response: unknown): string | undefined {
  if (typeof response === 'string') return textOf(response)
  if (!isRecord(response)) return undefined
  const streams = [response.stdout, response.stderr].filter(stream => textOf(stream) !== undefined)
  return streams.length > 0 ? streams.join('\n') : (textOf(response.content) ?? JSON.stringify(response))
}
