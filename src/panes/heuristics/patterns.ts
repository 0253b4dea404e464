import type { Config } from '../../config/index.js'
import { SignalboxError } from '../../errors/index.js'

export type HeuristicSettings = Config['heuristics']
type Lists = HeuristicSettings['patterns']

/** The lists of `heuristics.patterns.*`, compiled. */
export type Patterns = Readonly<Record<keyof Lists, readonly RegExp[]>>

/** These lists ignore case. */
const CASELESS: ReadonlySet<string> = new Set(['interrupt', 'interrupt_not', 'approval', 'completion'])

/** @throws SignalboxError `E_CONFIG` that names the list and the invalid pattern. */
export function compilePatterns(lists: Lists): Patterns {
  return {
    prompt: compile('prompt', lists.prompt),
    continuation: compile('continuation', lists.continuation),
    question: compile('question', lists.question),
    spinner: compile('spinner', lists.spinner),
    negative: compile('negative', lists.negative),
    completion: compile('completion', lists.completion),
    interrupt: compile('interrupt', lists.interrupt),
    interrupt_not: compile('interrupt_not', lists.interrupt_not),
    approval: compile('approval', lists.approval),
  }
}

function compile(list: keyof Lists, sources: readonly string[]): RegExp[] {
  return sources.map(source => {
    try {
      return new RegExp(source, CASELESS.has(list) ? 'iu' : 'u')
    } catch (error) {
      throw new SignalboxError('E_CONFIG', `heuristics.patterns.${list}: "${source}" is not a regular expression`, {
        next: 'write it in JavaScript syntax with the u flag',
        cause: error,
      })
    }
  })
}

export function matchesAny(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some(pattern => pattern.test(text))
}
