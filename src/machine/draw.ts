import type { Machine, ResolvedRow } from './machine.js'

type AnyMachine = Machine<string, string, string, string, never>
type AnyRow = ResolvedRow<string, string, string, string>

/** The part of a machine that drawing needs, whatever its names are. */
export type Drawable = Pick<AnyMachine, 'name' | 'states' | 'events' | 'initial' | 'cells'> & {
  readonly definition: Pick<AnyMachine['definition'], 'about' | 'actions' | 'entry' | 'exit' | 'rows'> & {
    readonly guards?: Readonly<Record<string, { readonly about: string }>>
  }
}

/**
 * The table in Markdown: one line per event, one column per state, then what its guards and actions
 * mean. `=` stays, an empty cell is unlisted.
 */
export function toMarkdown(machine: Drawable): string {
  const { definition } = machine
  const lines = [
    `| event ↓ / state → | ${machine.states.map(code).join(' | ')} |`,
    `|---|${machine.states.map(() => '---|').join('')}`,
  ]
  for (const event of machine.events) {
    const cells = machine.states.map(state => machine.cells.get(state)!.get(event)!)
    lines.push(`| ${code(event)} | ${cells.map(rows => describeCell(machine, rows)).join(' | ')} |`)
  }
  for (const moment of ['entry', 'exit'] as const) {
    for (const [state, actions] of Object.entries(definition[moment] ?? {})) {
      const when = moment === 'entry' ? 'Entering' : 'Leaving'
      const order = moment === 'entry' ? 'after' : 'before'
      lines.push('', `${when} ${code(state)} also executes ${list(actions ?? [])}, ${order} the other actions.`)
    }
  }
  const guards = Object.entries(definition.guards ?? {}).map(([name, { about }]) => [name, about] as const)
  return [lines.join('\n'), legend('guard', guards), legend('action', Object.entries(definition.actions))]
    .filter(part => part !== '')
    .join('\n\n')
}

function legend(kind: string, entries: readonly (readonly [name: string, about: string])[]): string {
  if (entries.length === 0) return ''
  return [`| ${kind} | |`, '|---|---|', ...entries.map(([name, about]) => `| ${code(name)} | ${about} |`)].join('\n')
}

function code(name: string): string {
  return `\`${name.replaceAll('|', '\\|')}\``
}

function list(names: readonly string[]): string {
  return names.map(code).join(', ')
}

function describeCell(machine: Drawable, rows: readonly AnyRow[]): string {
  return rows.map(row => describeRow(machine, row)).join('; ')
}

function describeRow(machine: Drawable, row: AnyRow): string {
  const own = machine.definition.rows[row.row]![3] ?? []
  const target = row.isStay ? '=' : row.next
  const guards = row.guards.length > 0 ? ` [${row.guards.join(' ')}]` : ''
  return `${target}${own.length > 0 ? `: ${own.join(', ')}` : ''}${guards}`
}

/**
 * The states and the events that lead from one to another, in DOT. Actions are left to the table.
 */
export function toDot(machine: Drawable): string {
  const labels = new Map<string, string[]>()
  for (const state of machine.states) {
    for (const event of machine.events) {
      for (const { next, isStay, guards } of machine.cells.get(state)!.get(event)!) {
        if (isStay) continue
        const edge = `${quote(state)} -> ${quote(next)}`
        const label = guards.length > 0 ? `${event} [${guards.join(' ')}]` : event
        labels.set(edge, [...(labels.get(edge) ?? []), label])
      }
    }
  }
  let start = 'start'
  while (machine.states.includes(start)) start += '_'
  return digraph(machine.name, [
    `${quote(start)} [shape=point, label=""]`,
    `${quote(start)} -> ${quote(machine.initial)}`,
    ...machine.states.map(quote),
    ...[...labels].map(([edge, texts]) => `${edge} [label=${quote(texts.join('\n'))}]`),
  ])
}

/** One rule of a list in which the first rule that holds gives the result. */
export interface DrawableRule {
  readonly when: string
  readonly result: string
}

/**
 * The questions of a list of rules and the results they lead to, in DOT. The last rule always
 * holds.
 */
export function rulesToDot(name: string, rules: readonly DrawableRule[]): string {
  const questions = rules.slice(0, -1)
  const node = (index: number) => quote(index < questions.length ? `rule ${index}` : rules.at(-1)!.result)
  return digraph(name, [
    ...questions.map(
      ({ when }, index) => `${node(index)} [shape=plaintext, label=${quote(`${when.replaceAll('`', '')}?`)}]`,
    ),
    ...questions.flatMap(({ result }, index) => [
      `${node(index)} -> ${quote(result)} [label="yes"]`,
      `${node(index)} -> ${node(index + 1)} [label="no"]`,
    ]),
  ])
}

function digraph(name: string, statements: readonly string[]): string {
  return [
    `digraph ${quote(name)} {`,
    '  rankdir=TB;',
    '  graph [bgcolor=white, pad=0.4, nodesep=0.35, ranksep=0.6];',
    '  node [shape=box, style=rounded, fontname=Helvetica];',
    '  edge [fontname=Helvetica, fontsize=9];',
    ...statements.map(statement => `  ${statement};`),
    '}',
    '',
  ].join('\n')
}

/** A DOT string: a backslash is an escape before a quote and, in labels, before an `n`. */
function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
