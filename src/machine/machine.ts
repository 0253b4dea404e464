/**
 * State machines as tables of data (models: the parser table of xterm.js, the pure `transition` of
 * xstate). Rows are declared once and checked when the module loads; a lookup decides. Nothing here
 * executes an action: the caller does.
 *
 * Which row applies to a pair: rows that name the state and the event, else rows for any other
 * state (`*`, event), else rows for any other event (state, `*`), else (`*`, `*`). Only one of
 * these four groups applies: a guard that refuses a named pair is not bypassed by a `*` row. Inside
 * a group the rows are tried in the order of the table.
 */

/** `=` stays: neither exit nor entry actions run. Naming the current state leaves and enters it. */
export const STAY = '='
/** Any state, or any event, that no more specific row names. */
export const ANY = '*'

export type MachineRow<S extends string, E extends string, A extends string, G extends string> = readonly [
  state: S | typeof ANY | readonly S[],
  event: E | typeof ANY | readonly E[],
  next: S | typeof STAY,
  actions?: readonly A[],
  /** All these guards must hold. */
  guard?: G | readonly G[],
]

/** A pure question about the context that the caller passes to `lookup`. */
interface Guard<C> {
  /** When it holds, in words: part of the reference page. */
  readonly about: string
  readonly holds: (context: C) => boolean
}

export interface MachineDefinition<S extends string, E extends string, A extends string, G extends string, C> {
  name: string
  /** What the table decides: part of the reference page. */
  about: string
  states: readonly S[]
  events: readonly E[]
  initial: NoInfer<S>
  /** What the caller executes, each with a sentence for the reference page. */
  actions: Readonly<Record<A, string>>
  guards?: Readonly<Record<G, Guard<C>>>
  rows: readonly MachineRow<NoInfer<S>, NoInfer<E>, NoInfer<A>, NoInfer<G>>[]
  /** Actions after those of the row, when the state is entered. */
  entry?: Readonly<Partial<Record<NoInfer<S>, readonly NoInfer<A>[]>>>
  /** Actions before those of the row, when the state is left. */
  exit?: Readonly<Partial<Record<NoInfer<S>, readonly NoInfer<A>[]>>>
}

/** One row for one pair, with `*`, lists and `=` resolved. */
export interface ResolvedRow<S extends string, E extends string, A extends string, G extends string> {
  /** Index into `definition.rows`. */
  readonly row: number
  readonly state: S
  readonly event: E
  readonly next: S
  readonly isStay: boolean
  /** Exit actions of the old state, then those of the row, then entry actions of the new state. */
  readonly actions: readonly A[]
  readonly guards: readonly G[]
}

export interface Machine<S extends string, E extends string, A extends string, G extends string, C> {
  readonly definition: MachineDefinition<S, E, A, G, C>
  readonly name: string
  readonly states: readonly S[]
  readonly events: readonly E[]
  readonly initial: S
  /** For each state and event the rows that apply, in order; none if the pair is unlisted. */
  readonly cells: ReadonlyMap<S, ReadonlyMap<E, readonly ResolvedRow<S, E, A, G>[]>>
}

export type StateOf<M> = M extends Machine<infer S, infer _E, infer _A, infer _G, infer _C> ? S : never
export type EventOf<M> = M extends Machine<infer _S, infer E, infer _A, infer _G, infer _C> ? E : never
export type ActionOf<M> = M extends Machine<infer _S, infer _E, infer A, infer _G, infer _C> ? A : never
