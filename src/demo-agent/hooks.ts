import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { SignalboxError } from '../errors/index.js'
import { isRecord } from './scenario/schema.js'

const HOOK_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'Stop',
  'Notification',
  'SessionEnd',
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

export interface Hook {
  command: string[]
  /** Waits for the command. PreToolUse and PermissionRequest wait if they can decide. */
  hold: boolean
}

export interface HookDecision {
  decision: 'allow' | 'deny'
  message?: string
  /** Replaces the input that was asked about. */
  updatedInput?: Record<string, unknown>
  /** Applies to the rest of the session. */
  isForSession?: boolean
}

export type HookTable = Partial<Record<HookEvent, Hook[]>>

/** Runs the settings' commands with the event on stdin; a failed one counts as silent. */
export class Hooks {
  constructor(
    private readonly table: HookTable,
    private readonly about: Record<string, unknown>,
    /** When false, hooks run and their decisions are ignored, as in some real releases. */
    private readonly isObeyed = true,
  ) {}

  async notify(event: HookEvent, payload: Record<string, unknown>): Promise<void> {
    const calls = (this.table[event] ?? []).map(hook => ({ hook, output: this.call(hook, event, payload) }))
    await Promise.all(calls.filter(({ hook }) => hook.hold).map(({ output }) => output))
  }

  /** The first decision that a hook of the event prints, or null when all finish without one. */
  async decide(event: HookEvent, payload: Record<string, unknown>): Promise<HookDecision | null> {
    const waiting = (this.table[event] ?? []).map(async hook => {
      const decision = readDecision(await this.call(hook, event, payload))
      if (decision === null) throw new Error('no decision')
      return decision
    })
    if (waiting.length === 0) return null
    const decision = await Promise.any(waiting).catch(() => null)
    return this.isObeyed ? decision : null
  }

  private call(hook: Hook, event: HookEvent, payload: Record<string, unknown>): Promise<string> {
    return new Promise(resolve => {
      const [file = '', ...args] = hook.command
      const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'] })
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
      })
      child.on('error', () => resolve(''))
      child.on('close', () => resolve(output))
      child.stdin.on('error', () => undefined)
      child.stdin.end(`${JSON.stringify({ hook_event_name: event, ...this.about, ...payload })}\n`)
    })
  }
}

/** `{"decision": "allow"}`, or the longer form of Claude Code's hooks. */
function readDecision(output: string): HookDecision | null {
  let value: unknown
  try {
    value = JSON.parse(output)
  } catch {
    return null
  }
  if (!isRecord(value)) return null
  const specific = isRecord(value.hookSpecificOutput) ? value.hookSpecificOutput.decision : null
  const verdict = isRecord(specific) ? { ...specific, decision: specific.behavior } : value
  if (verdict.decision !== 'allow' && verdict.decision !== 'deny') return null
  return {
    decision: verdict.decision,
    ...(typeof verdict.message === 'string' && { message: verdict.message }),
    ...(isRecord(verdict.updatedInput) && { updatedInput: verdict.updatedInput }),
    ...(Array.isArray(verdict.updatedPermissions) && { isForSession: verdict.updatedPermissions.length > 0 }),
  }
}

export function readSettings(file: string): HookTable {
  const fail = (what: string) => new SignalboxError('E_CONFIG', `${file}: ${what}`, { place: { file } })
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw fail((error as Error).message)
  }
  const hooks = isRecord(value) ? (value.hooks ?? {}) : null
  if (!isRecord(hooks)) throw fail('expected {"hooks": {"<Event>": [{"command": ["program", "argument"]}]}}')
  const table: HookTable = {}
  for (const [event, list] of Object.entries(hooks)) {
    if (!HOOK_EVENTS.includes(event as HookEvent))
      throw fail(`hooks.${event}: unknown; known are ${HOOK_EVENTS.join(', ')}`)
    if (!Array.isArray(list)) throw fail(`hooks.${event}: expected a list`)
    table[event as HookEvent] = list.map((hook: unknown, index) => {
      const command = isRecord(hook) ? hook.command : null
      if (
        !isRecord(hook) ||
        !Array.isArray(command) ||
        command.length === 0 ||
        !command.every(part => typeof part === 'string')
      )
        throw fail(`hooks.${event}[${index}].command: expected a list of texts`)
      return { command: command as string[], hold: hook.hold === true }
    })
  }
  return table
}
