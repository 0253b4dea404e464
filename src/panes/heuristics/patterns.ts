import type { Config } from '../../config/index.js'
import { SignalboxError } from '../../errors/index.js'

export type HeuristicSettings = Config['heuristics']
type Lists = HeuristicSettings['patterns']

/** The lists of `heuristics.patterns.*`, compiled. No pattern stands anywhere else. */
export type Patterns = Readonly<Record<keyof Lists, readonly RegExp[]>>

/** Marks and menus are matched however they are written. */
const CASELESS: ReadonlySet<string> = new Set(['interrupt', 'interrupt_not', 'approval', 'completion'])

/** @throws SignalboxError `E_CONFIG` naming the list and the pattern that is none. */
export function compilePatterns(lists: Lists): Patterns {
  const compiled = (list: keyof Lists) => lists[list].map(source => compile(list, source))
  return {
    prompt: compiled('prompt'),
    continuation: compiled('continuation'),
    question: compiled('question'),
    spinner: compiled('spinner'),
    negative: compiled('negative'),
    completion: compiled('completion'),
    interrupt: compiled('interrupt'),
    interrupt_not: compiled('interrupt_not'),
    approval: compiled('approval'),
  }
}

function compile(list: string, source: string): RegExp {
  try {
    return new RegExp(source, CASELESS.has(list) ? 'iu' : 'u')
  } catch (error) {
    throw new SignalboxError('E_CONFIG', `heuristics.patterns.${list}: "${source}" is no regular expression`, {
      next: 'write it as JavaScript does, with the u flag',
      cause: error,
    })
  }
}

export function matchesAny(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some(pattern => pattern.test(text))
}
