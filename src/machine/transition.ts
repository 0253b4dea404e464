import type { Machine, ResolvedRow } from './machine.js'
import type { UnlistedCounter } from './unlisted-counter.js'

export type Lookup<S extends string, E extends string, A extends string, G extends string> =
  | (ResolvedRow<S, E, A, G> & { readonly unlisted?: undefined })
  | {
      readonly unlisted: true
      /**
       * Rows exist, but a guard refused each of them: the first refusing guard of each row. Empty
       * when the table has no row.
       */
      readonly refusedBy: readonly G[]
    }

/**
 * The row that applies to this pair in this context. `context` is the argument of the machine's
 * guards.
 */
export function lookup<S extends string, E extends string, A extends string, G extends string, C>(
  machine: Machine<S, E, A, G, C>,
  state: NoInfer<S>,
  event: NoInfer<E>,
  ...[context]: C extends undefined ? [context?: C] : [context: C]
): Lookup<S, E, A, G> {
  const refusedBy: G[] = []
  for (const row of machine.cells.get(state)?.get(event) ?? []) {
    const refusing = row.guards.find(guard => !machine.definition.guards![guard](context as C))
    if (refusing === undefined) return row
    refusedBy.push(refusing)
  }
  return { unlisted: true, refusedBy }
}

export interface TransitionOptions<C> {
  context?: C
  counter?: UnlistedCounter
}

/**
 * `[next, actions]`; nothing is executed. A pair without a row stays in its state, does nothing and
 * is counted.
 */
export function transition<S extends string, E extends string, A extends string, G extends string, C>(
  machine: Machine<S, E, A, G, C>,
  state: NoInfer<S>,
  event: NoInfer<E>,
  options: TransitionOptions<NoInfer<C>> = {},
): [next: S, actions: readonly A[]] {
  const found = lookup<S, E, A, G, unknown>(machine as Machine<S, E, A, G, unknown>, state, event, options.context)
  if (!found.unlisted) return [found.next, found.actions]
  options.counter?.add({ machine: machine.name, state, event, isExpected: machine.expectedUnlisted.has(event) })
  return [state, []]
}

export interface Pair<S extends string, E extends string, A extends string, G extends string> {
  readonly state: S
  readonly event: E
  /** The rows that apply to this pair, in order; none when it is unlisted. */
  readonly rows: readonly ResolvedRow<S, E, A, G>[]
}

/** Every state with every event, for tests that cover every cell. */
export function* everyPair<S extends string, E extends string, A extends string, G extends string, C>(
  machine: Machine<S, E, A, G, C>,
): Generator<Pair<S, E, A, G>, void, undefined> {
  for (const state of machine.states) {
    for (const event of machine.events) yield { state, event, rows: machine.cells.get(state)!.get(event)! }
  }
}
