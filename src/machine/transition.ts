import type { Machine, ResolvedRow } from './machine.js'

export type Lookup<S extends string, E extends string, A extends string, G extends string> =
  | (ResolvedRow<S, E, A, G> & { readonly unlisted?: undefined })
  | {
      readonly unlisted: true
      /** The guard that refused each row of the pair; empty if the pair has no row. */
      readonly refusedBy: readonly G[]
    }

/** The row for this pair. `context` is the argument of the machine's guards. */
export function lookup<S extends string, E extends string, A extends string, G extends string, C>(
  machine: Machine<S, E, A, G, C>,
  state: NoInfer<S>,
  event: NoInfer<E>,
  ...[context]: C extends undefined ? [context?: C] : [context: C]
): Lookup<S, E, A, G> {
  const refusedBy: G[] = []
  for (const row of machine.cells.get(state)?.get(event) ?? []) {
    const refusing = row.guards.find(guard => !machine.definition.guards![guard].holds(context as C))
    if (refusing === undefined) return row
    refusedBy.push(refusing)
  }
  return { unlisted: true, refusedBy }
}

/** `[next, actions]`; executes nothing. An unlisted pair stays in its state, without actions. */
export function transition<S extends string, E extends string, A extends string, G extends string, C>(
  machine: Machine<S, E, A, G, C>,
  state: NoInfer<S>,
  event: NoInfer<E>,
  ...[context]: C extends undefined ? [context?: C] : [context: C]
): [next: S, actions: readonly A[]] {
  const found = lookup<S, E, A, G, unknown>(machine as Machine<S, E, A, G, unknown>, state, event, context)
  return found.unlisted ? [state, []] : [found.next, found.actions]
}

export interface Pair<S extends string, E extends string, A extends string, G extends string> {
  readonly state: S
  readonly event: E
  /** The rows that apply to this pair, in order; none if it is unlisted. */
  readonly rows: readonly ResolvedRow<S, E, A, G>[]
}

/** Every state with every event, for tests that visit every cell. */
export function* everyPair<S extends string, E extends string, A extends string, G extends string, C>(
  machine: Machine<S, E, A, G, C>,
): Generator<Pair<S, E, A, G>, void, undefined> {
  for (const state of machine.states) {
    for (const event of machine.events) yield { state, event, rows: machine.cells.get(state)!.get(event)! }
  }
}
