import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Activity } from '../../activity/index.js'
import type { HeadlessEnd, PermissionAnswer } from '../../agents/index.js'
import type { AgentTurn, Recovery, StepCall, TurnHooks } from '../../engine/index.js'
import type { RoleAgents } from '../node.js'

export type ScriptedRole = 'architect' | 'developer' | 'reviewer' | 'evaluator'

/** What an agent does in one turn: the files it writes, its answer, how it ends. */
export interface ScriptedTurn {
  text?: string
  files?: Record<string, string>
  end?: Partial<HeadlessEnd>
  activities?: object[]
  /** Permission requests it makes. */
  requests?: { tool: string; input: unknown }[]
}

export type TurnScript = ScriptedTurn | ((turn: AgentTurn, call: StepCall) => ScriptedTurn | Promise<ScriptedTurn>)

export const APPROVED = { approved: true, severity: 'none', summary: 'fine', items: [] }

export function item(number: number, severity = 'major', extra: object = {}) {
  return {
    number,
    severity,
    file: 'a.txt',
    line: null,
    title: `finding ${number}`,
    issue: 'i',
    why: 'w',
    fix: 'f',
    ...extra,
  }
}

export function rejected(...items: object[]) {
  return { approved: false, severity: 'major', summary: 'not yet', items: items.length > 0 ? items : [item(1)] }
}

export function plan(tasks: number, extra = ''): string {
  const parts = Array.from(
    { length: tasks },
    (_, index) => `### Task ${index + 1}: part ${index + 1}\n\nCreate: \`f${index + 1}.txt\`\n\nDo it.`,
  )
  const filler = 'A plan that is long enough to be taken for one, with words that say nothing. '.repeat(3)
  return `# Lamp Implementation Plan\n\n**Goal:** A lamp\n\n${filler}\n${extra}\n${parts.join('\n\n')}\n`
}

/**
 * Agents that follow a script: a list of turns for each role; the last one repeats. They are the
 * edge of the tests.
 */
export class ScriptedAgents implements RoleAgents {
  /** The policy's answer to each request; null if a person is asked. */
  readonly answers: (PermissionAnswer | null)[] = []
  readonly turns: { role: ScriptedRole; step: string; turn: AgentTurn }[] = []
  readonly #script: Partial<Record<ScriptedRole, TurnScript[]>>
  readonly #directory: (run: string) => string

  constructor(script: Partial<Record<ScriptedRole, TurnScript[]>>, directory: (run: string) => string) {
    this.#script = script
    this.#directory = directory
  }

  prompts(role: ScriptedRole): string[] {
    return this.turns.filter(entry => entry.role === role).map(({ turn }) => turn.prompt)
  }

  async run(call: StepCall, turn: AgentTurn, hooks: TurnHooks = {}): Promise<HeadlessEnd> {
    const role = roleOf(turn.prompt)
    this.turns.push({ role, step: call.step, turn })
    const parts = this.#script[role] ?? DEFAULTS[role]
    const part = parts.length > 1 ? parts.shift()! : parts[0]!
    const {
      text = 'done',
      files = {},
      end = {},
      activities = [],
      requests = [],
    } = typeof part === 'function' ? await part(turn, call) : part
    for (const [path, content] of Object.entries(files)) {
      const file = join(turn.cwd, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    }
    for (const activity of activities) hooks.onActivity?.(activity as Activity)
    for (const [index, request] of requests.entries())
      this.answers.push(
        hooks.judge?.({ type: 'approval', requestId: `${index}`, options: [], ...request } as never) ?? null,
      )
    const usage = { input: 10, output: 1, costUsd: 0.5 }
    return { status: 'ok', reason: 'done', class: null, text, sessionId: `session-${this.turns.length}`, usage, ...end }
  }

  /** What recovery finds for a step whose host died; by default nothing. */
  left: (call: StepCall) => Recovery = () => ({ verdict: 'nothing', evidence: [] })

  async recover(call: StepCall): Promise<Recovery> {
    return this.left(call)
  }

  async abandon(): Promise<void> {}

  directory({ run, step }: Pick<StepCall, 'run' | 'step'>): string {
    return join(this.#directory(run), 'steps', step)
  }
}

/** The path of the plan is in the prompt. */
export function writesPlan(text: string): TurnScript {
  return turn => ({ files: { [/change no other file: (\S+)/.exec(turn.prompt)![1]!]: text } })
}

const DEFAULTS: Record<ScriptedRole, TurnScript[]> = {
  architect: [writesPlan(plan(2))],
  developer: [
    turn => {
      const path = /Create: `([^`]+)`/.exec(turn.prompt)?.[1] ?? 'fixed.txt'
      return { files: { [path]: `${turn.prompt.length}\n` } }
    },
  ],
  reviewer: [{ text: JSON.stringify(APPROVED) }],
  evaluator: [
    turn => {
      const numbers = [...turn.prompt.matchAll(/^#(\d+) \[/gm)].map(([, number]) => Number(number))
      const items = numbers.map(number => ({ number, disposition: 'implement', reason: 'it is so' }))
      return { text: JSON.stringify({ items, summary: 'looked' }) }
    },
  ],
}

function roleOf(prompt: string): ScriptedRole {
  if (prompt.startsWith('You are the Architect')) return 'architect'
  if (prompt.startsWith('You are the Developer')) return 'developer'
  return prompt.startsWith('You are the Evaluator') ? 'evaluator' : 'reviewer'
}
