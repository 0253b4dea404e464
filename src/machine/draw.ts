import type { Machine, ResolvedRow } from './machine.js'

type AnyMachine = Machine<string, string, string, string, never>
type AnyRow = ResolvedRow<string, string, string, string>

/** The parts of a machine that a drawing needs, whatever its names are. */
export type Drawable = Pick<AnyMachine, 'name' | 'states' | 'events' | 'initial' | 'cells'> & {
  readonly definition: Pick<AnyMachine['definition'], 'entry' | 'exit' | 'rows'>
}

/**
 * The table for people: one line per event, one column per state. `=` stays, `–` does nothing, an
 * empty cell is unlisted.
 */
export function toMarkdown(machine: Drawable): string {
  const lines = [
    `| event ↓ / state → | ${machine.states.map(code).join(' | ')} |`,
    `|---|${machine.states.map(() => '---|').join('')}`,
  ]
  for (const event of machine.events) {
    const cells = machine.states.map(state => machine.cells.get(state)!.get(event)!)
    lines.push(`| ${code(event)} | ${cells.map(rows => describeCell(machine, rows)).join(' | ')} |`)
  }
  for (const moment of ['entry', 'exit'] as const) {
    for (const [state, actions] of Object.entries(machine.definition[moment] ?? {})) {
      const when = moment === 'entry' ? 'Entry actions, after the others' : 'Exit actions, before the others'
      lines.push('', `${when}, of ${code(state)}: ${(actions ?? []).join(', ')}.`)
    }
  }
  return `${lines.join('\n')}\n`
}

function code(name: string): string {
  return `\`${name.replaceAll('|', '\\|')}\``
}

function describeCell(machine: Drawable, rows: readonly AnyRow[]): string {
  return rows.map(row => describeRow(machine, row)).join('; ')
}

function describeRow(machine: Drawable, row: AnyRow): string {
  const own = machine.definition.rows[row.row]![3] ?? []
  const target = row.isStay ? '=' : row.next
  const guards = row.guards.length > 0 ? ` [${row.guards.join(' ')}]` : ''
  if (own.length > 0) return `${target}: ${own.join(', ')}${guards}`
  return row.isStay ? `= –${guards}` : `${target}: –${guards}`
}

/**
 * The machine as valid DOT. Cells that stay and do nothing are omitted: they would hide the others.
 */
export function toDot(machine: Drawable): string {
  const labels = new Map<string, Map<string, string[]>>()
  for (const state of machine.states) {
    for (const event of machine.events) {
      for (const row of machine.cells.get(state)!.get(event)!) {
        const own = machine.definition.rows[row.row]![3] ?? []
        if (row.isStay && own.length === 0) continue
        const guards = row.guards.length > 0 ? ` [${row.guards.join(' ')}]` : ''
        const label = own.length > 0 ? `${event}${guards} / ${own.join(', ')}` : `${event}${guards}`
        const targets = labels.get(state) ?? new Map<string, string[]>()
        labels.set(state, targets)
        targets.set(row.next, [...(targets.get(row.next) ?? []), label])
      }
    }
  }
  const edges = [...labels].flatMap(([from, targets]) =>
    [...targets].map(([to, texts]) => `  ${quote(from)} -> ${quote(to)} [label=${quote(texts.join('\n'))}];`),
  )
  let start = 'start'
  while (machine.states.includes(start)) start += '_'
  return [
    `digraph ${quote(machine.name)} {`,
    '  rankdir=LR;',
    '  node [shape=box, style=rounded];',
    `  ${quote(start)} [shape=point, label=""];`,
    `  ${quote(start)} -> ${quote(machine.initial)};`,
    ...machine.states.map(state => `  ${quote(state)};`),
    ...edges,
    '}',
    '',
  ].join('\n')
}

/**
 * A DOT string: a back-slash is only an escape before a quote, except in labels, where `\n` breaks
 * the line.
 */
function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
