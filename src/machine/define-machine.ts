import { SignalboxError } from '../errors/index.js'
import { ANY, type Machine, type MachineDefinition, type MachineRow, type ResolvedRow, STAY } from './machine.js'

/**
 * Checks the table and resolves every cell. A wrong table is a programming mistake, so that it
 * throws when its module loads: unknown names, actions or guards that no row names, two rows for
 * one pair without guards that distinguish them, a row that can never apply, an unreachable state.
 * @throws SignalboxError `E_MACHINE` that names the row.
 */
export function defineMachine<
  const S extends string,
  const E extends string,
  const A extends string,
  const G extends string = never,
  C = undefined,
>(definition: MachineDefinition<S, E, A, G, C>): Machine<S, E, A, G, C> {
  checkNames(definition)
  const cells = resolveCells(definition)
  checkEveryRowApplies(definition, cells)
  checkReachable(definition, cells)
  checkEveryNameIsUsed(definition)
  return Object.freeze({
    definition,
    name: definition.name,
    states: definition.states,
    events: definition.events,
    initial: definition.initial,
    cells,
  })
}

type Cells<S extends string, E extends string, A extends string, G extends string> = Map<
  S,
  Map<E, readonly ResolvedRow<S, E, A, G>[]>
>

function listOf<T extends string>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return []
  return typeof value === 'string' ? [value] : value
}

function fail(machine: string, message: string, row?: number): never {
  throw new SignalboxError('E_MACHINE', `machine "${machine}": ${message}`, {
    next: 'correct the table where it is declared',
    details: row === undefined ? { machine } : { machine, row },
  })
}

function describe(rows: readonly MachineRow<string, string, string, string>[], index: number): string {
  const [state, event] = rows[index]!
  return `row ${index + 1} (${listOf(state).join(' ')}, ${listOf(event).join(' ')})`
}

function checkNames<S extends string, E extends string, A extends string, G extends string, C>(
  definition: MachineDefinition<S, E, A, G, C>,
): void {
  const { name, rows } = definition
  const vocabulary = {
    state: new Set<string>(definition.states),
    event: new Set<string>(definition.events),
    action: new Set<string>(Object.keys(definition.actions)),
    guard: new Set<string>(Object.keys(definition.guards ?? {})),
  }
  for (const [kind, known] of Object.entries(vocabulary)) {
    for (const reserved of [ANY, STAY])
      if (known.has(reserved)) fail(name, `"${reserved}" cannot be the name of a ${kind}`)
  }
  if (vocabulary.state.size !== definition.states.length) fail(name, 'a state is declared twice')
  if (vocabulary.event.size !== definition.events.length) fail(name, 'an event is declared twice')

  const check = (kind: keyof typeof vocabulary, value: string, where: string, row?: number) => {
    if (!vocabulary[kind].has(value)) fail(name, `${where} names the unknown ${kind} "${value}"`, row)
  }
  check('state', definition.initial, 'initial')
  for (const moment of ['entry', 'exit'] as const) {
    for (const [state, actions] of Object.entries<readonly string[] | undefined>(definition[moment] ?? {})) {
      check('state', state, moment)
      for (const action of actions ?? []) check('action', action, `${moment} of ${state}`)
    }
  }
  rows.forEach(([state, event, next, actions, guard], index) => {
    const where = describe(rows, index)
    if (state !== ANY) for (const one of listOf(state)) check('state', one, where, index)
    if (event !== ANY) for (const one of listOf(event)) check('event', one, where, index)
    if (next !== STAY) check('state', next, where, index)
    for (const action of actions ?? []) check('action', action, where, index)
    for (const one of listOf(guard)) check('guard', one, where, index)
  })
}

function checkEveryNameIsUsed<S extends string, E extends string, A extends string, G extends string, C>(
  definition: MachineDefinition<S, E, A, G, C>,
): void {
  const { name, rows, actions, guards, entry, exit } = definition
  const inRows = rows.flatMap(([, , , own = [], guard]) => [...own, ...listOf(guard)])
  const atStates = definition.states.flatMap(state => [...(entry?.[state] ?? []), ...(exit?.[state] ?? [])])
  const used = new Set<string>([...inRows, ...atStates])
  for (const [kind, names] of Object.entries({ action: Object.keys(actions), guard: Object.keys(guards ?? {}) })) {
    const unused = names.find(one => !used.has(one))
    if (unused !== undefined) fail(name, `no row names the ${kind} "${unused}"`)
  }
}

function resolveCells<S extends string, E extends string, A extends string, G extends string, C>(
  definition: MachineDefinition<S, E, A, G, C>,
): Cells<S, E, A, G> {
  const cells: Cells<S, E, A, G> = new Map()
  for (const state of definition.states) {
    const line = new Map<E, readonly ResolvedRow<S, E, A, G>[]>()
    for (const event of definition.events) line.set(event, resolveCell(definition, state, event))
    cells.set(state, line)
  }
  return cells
}

/**
 * 0 for a row that names both, 1 for any state, 2 for any event, 3 for any pair; null for a row
 * about another pair.
 */
function groupOf(row: MachineRow<string, string, string, string>, state: string, event: string): number | null {
  const isAnyState = row[0] === ANY
  const isAnyEvent = row[1] === ANY
  if (!isAnyState && !listOf(row[0]).includes(state)) return null
  if (!isAnyEvent && !listOf(row[1]).includes(event)) return null
  return (isAnyState ? 1 : 0) + (isAnyEvent ? 2 : 0)
}

function resolveCell<S extends string, E extends string, A extends string, G extends string, C>(
  definition: MachineDefinition<S, E, A, G, C>,
  state: S,
  event: E,
): readonly ResolvedRow<S, E, A, G>[] {
  const groups: ResolvedRow<S, E, A, G>[][] = [[], [], [], []]
  definition.rows.forEach((row, index) => {
    const group = groupOf(row, state, event)
    if (group === null) return
    const isStay = row[2] === STAY
    const next = row[2] === STAY ? state : row[2]
    const own = row[3] ?? []
    const actions = isStay ? own : [...(definition.exit?.[state] ?? []), ...own, ...(definition.entry?.[next] ?? [])]
    groups[group]!.push({ row: index, state, event, next, isStay, actions, guards: listOf<G>(row[4]) })
  })
  for (const group of groups) checkShadowed(definition, group)
  return groups.find(group => group.length > 0) ?? []
}

/** A row behind an unguarded one, or behind one with the same guards, could never apply. */
function checkShadowed<S extends string, E extends string, A extends string, G extends string, C>(
  definition: MachineDefinition<S, E, A, G, C>,
  group: readonly ResolvedRow<S, E, A, G>[],
): void {
  group.forEach((later, index) => {
    const earlier = group.slice(0, index).find(one => one.guards.every(guard => later.guards.includes(guard)))
    if (!earlier) return
    const pair = `(${later.state}, ${later.event})`
    const reason = `${describe(definition.rows, earlier.row)} already covers ${pair}`
    fail(definition.name, `${describe(definition.rows, later.row)} can never apply: ${reason}`, later.row)
  })
}

function checkEveryRowApplies<S extends string, E extends string, A extends string, G extends string, C>(
  definition: MachineDefinition<S, E, A, G, C>,
  cells: Cells<S, E, A, G>,
): void {
  const used = new Set<number>()
  for (const line of cells.values()) for (const rows of line.values()) for (const { row } of rows) used.add(row)
  const unused = definition.rows.findIndex((_, index) => !used.has(index))
  if (unused >= 0) fail(definition.name, `${describe(definition.rows, unused)} applies to no pair`, unused)
}

function checkReachable<S extends string, E extends string, A extends string, G extends string, C>(
  definition: MachineDefinition<S, E, A, G, C>,
  cells: Cells<S, E, A, G>,
): void {
  const reached = new Set<S>([definition.initial])
  // Iterating a Set also visits states that are added meanwhile: this is the whole search.
  for (const state of reached) {
    for (const rows of cells.get(state)!.values()) for (const { next } of rows) reached.add(next)
  }
  const lost = definition.states.find(state => !reached.has(state))
  if (lost !== undefined) fail(definition.name, `state "${lost}" cannot be reached from "${definition.initial}"`)
}
