import type { Hooks } from '../hooks.js'
import type { Pace } from '../pace.js'
import type { Tools } from '../tools/tools.js'
import type { Transcript } from '../transcript.js'
import type { Background } from './background.js'
import type { MenuQueue } from './menu-queue.js'
import type { Permissions } from './permissions.js'
import type { Failure, Outcome, Surface } from './surface.js'

/** What every step of one turn can use. */
export interface TurnContext {
  surface: Surface
  pace: Pace
  transcript: Transcript
  hooks: Hooks
  permissions: Permissions
  tools: Tools
  background: Background
  cwd: string
  signal: AbortSignal
  prompt: string
  startedAt: number
  /** Values for `{{…}}` in texts: prompt, answer, exitCode. */
  variables: Map<string, string>
  tokens: number
  lastText: string
  newCallId(): string
  /** Identifies this prompt in hooks. */
  promptId: string
  menus: MenuQueue
}

/** Ends the turn before its last step. */
export class EndTurn extends Error {
  constructor(
    readonly outcome: Outcome,
    readonly failure: Failure | null = null,
  ) {
    super(outcome)
    this.name = 'TurnOver'
  }
}

export function fillPlaceholders(text: string, words: Map<string, string>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (mark, name) => words.get(name) ?? mark)
}
