import type { Scenario, Turn } from './types.js'
import { compileMatch } from './validate.js'

/** Which turns were already played. It is counted from the transcript, so it survives a resume. */
export interface Progress {
  nextInOrder: number
}

const ECHO: Turn = {
  name: 'echo',
  steps: [
    { think: { ms: 600, label: 'Listening' } },
    { say: { markdown: 'You said: {{prompt}}\n\nMy script ends here, so this is all I have to say.' } },
  ],
}

/** A turn whose `match` fits, else the next without, else `otherwise`, else an echo. */
export function pickTurn(scenario: Scenario, prompt: string, progress: Progress): { turn: Turn; progress: Progress } {
  const matching = scenario.turns.find(turn => turn.match !== undefined && compileMatch(turn.match)(prompt))
  if (matching) return { turn: matching, progress }
  const inOrder = scenario.turns.filter(turn => turn.match === undefined)
  const next = inOrder[progress.nextInOrder]
  if (next) return { turn: next, progress: { nextInOrder: progress.nextInOrder + 1 } }
  return { turn: scenario.otherwise ?? ECHO, progress }
}

export interface Directives {
  scenario?: string
  /** The scenario of an auditor, not of the worker whose task contains the line. */
  auditor?: string
  verdicts?: string[]
}

/** Lines such as `[demo:scenario zombie]`, with which a test controls one prompt. */
export function readDirectives(prompt: string): Directives {
  const directives: Directives = {}
  for (const match of prompt.matchAll(/^\s*\[demo:(\w+)\s+([^\]]+)\]\s*$/gm)) {
    if (match[1] === 'scenario') directives.scenario = match[2]!.trim()
    if (match[1] === 'auditor') directives.auditor = match[2]!.trim()
    if (match[1] === 'verdict') directives.verdicts = match[2]!.split(',').map(word => word.trim().toUpperCase())
  }
  return directives
}
