import { createHash } from 'node:crypto'
import type { AgentHooks, HookWiring } from './adapter.js'
import { hookLine } from './hook-command.js'
import { ofSubAgent, optionalText, requiredText, sessionStarted, subAgentEnded } from './hook-payload.js'
import { type JsonRecord, textOf } from './json-lines.js'
import type { AgentStatement, ToolStatement } from './report.js'

/** Codex limits `SessionEnd` to three seconds; one value for all keeps the trust hash simple. */
const TIMEOUT_S = 3
/** Codex's name for the source of hooks on its command line. */
const SOURCE = '/<session-flags>/config.toml'
/** The hooks of 0.166 that Signalbox uses, with Codex's own label of each. */
const EVENTS: Readonly<Record<string, string>> = {
  SessionStart: 'session_start',
  UserPromptSubmit: 'user_prompt_submit',
  PreToolUse: 'pre_tool_use',
  PermissionRequest: 'permission_request',
  PostToolUse: 'post_tool_use',
  SubagentStart: 'subagent_start',
  SubagentStop: 'subagent_stop',
  Stop: 'stop',
  Interrupt: 'interrupt',
  SessionEnd: 'session_end',
}

/**
 * Command-line overrides that configure hooks for one session and change no file.
 *
 * Codex runs a hook only if it is trusted. Its flag for running hooks unasked would also run those
 * of an unknown repository, so only ours are trusted, for this one start: the trust of a hook is
 * the SHA-256 of its content (event, command, timeout) as canonical JSON, stored under its source,
 * and the command line is one of the two places from which Codex reads trust. If a release computes
 * the hash differently, our hooks do not run and the session relies on its other sources.
 */
export function codexHookArguments(wiring: HookWiring): string[] {
  const hooks = Object.entries(EVENTS).map(([event, label]) => ({ event, label, command: hookLine(wiring, event) }))
  const trust = hooks.map(
    ({ label, command }) => `${toml(`${SOURCE}:${label}:0:0`)}={trusted_hash=${toml(trustOf(label, command))}}`,
  )
  return [
    ...hooks.flatMap(({ event, command }) => [
      '-c',
      `hooks.${event}=[{hooks=[{type="command",command=${toml(command)},timeout=${TIMEOUT_S}}]}]`,
    ]),
    '-c',
    `hooks.state={${trust.join(',')}}`,
  ]
}

/** Keys in alphabetical order: that is the canonical form. */
function trustOf(label: string, command: string): string {
  const hook = { async: false, command, timeout: TIMEOUT_S, type: 'command' }
  const identity = JSON.stringify({ event_name: label, hooks: [hook] })
  return `sha256:${createHash('sha256').update(identity).digest('hex')}`
}

/** A TOML basic string, whose escapes include those of JSON. */
function toml(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f')
}

/** Its hook runs before the dialog exists, so it reports and is never held. */
export const codexHooks: AgentHooks = { holds: false, read: readCodexHook }

function readCodexHook(event: string, payload: JsonRecord): AgentStatement[] {
  return ofSubAgent(payload, statements(event, payload))
}

function statements(event: string, payload: JsonRecord): AgentStatement[] {
  switch (event) {
    case 'SessionStart':
      return [sessionStarted(payload)]
    case 'UserPromptSubmit':
      return [{ kind: 'prompt', text: requiredText(payload, 'prompt'), ...optionalText('prompt', payload.turn_id) }]
    case 'PreToolUse':
      return [tool('started', payload)]
    case 'PostToolUse':
      return [{ ...tool('done', payload), ...output(payload.tool_response) }]
    case 'PermissionRequest':
      return [
        {
          kind: 'request',
          key: textOf(payload.tool_use_id) ?? null,
          tool: requiredText(payload, 'tool_name'),
          input: payload.tool_input,
          ...optionalText('prompt', payload.turn_id),
        },
      ]
    case 'Stop':
      return [{ kind: 'turn-ended', outcome: 'done', ...optionalText('text', payload.last_assistant_message) }]
    case 'Interrupt':
      return [{ kind: 'turn-ended', outcome: 'interrupted' }]
    case 'SubagentStart':
      return [{ kind: 'working', subAgent: requiredText(payload, 'agent_id') }]
    case 'SubagentStop':
      return [subAgentEnded(payload)]
    case 'SessionEnd':
      return [{ kind: 'ended', reason: requiredText(payload, 'reason') }]
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
    ...optionalText('prompt', payload.turn_id),
  }
}

function output(response: unknown): { output?: string } {
  if (response === undefined || response === null || response === '') return {}
  return { output: typeof response === 'string' ? response : JSON.stringify(response) }
}
