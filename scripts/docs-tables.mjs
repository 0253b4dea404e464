// The reference page of state tables with its drawings, from the tables that the program runs on.
import { instance } from '@viz-js/viz'
import { approvalTable } from '../src/approvals/index.ts'
import { runStatusTable } from '../src/engine/index.ts'
import { rulesToDot, toDot, toMarkdown } from '../src/machine/index.ts'
import { oneshotTable } from '../src/oneshot/index.ts'
import { statusTable } from '../src/panes/index.ts'
import { phaseTable } from '../src/sessions/index.ts'
import { WORKTREE_FATE_RULES } from '../src/worktrees/index.ts'
import { page, table } from './docs-markdown.mjs'

const MACHINES = [
  { title: 'Session phase', machine: phaseTable },
  { title: 'Pane status', machine: statusTable },
  { title: 'Approval', machine: approvalTable },
  { title: 'Run status', machine: runStatusTable },
  { title: 'Oneshot', machine: oneshotTable },
]

export function tablesPage() {
  return page(
    'State tables',
    'src/**/*-table.ts',
    'A state machine is a table of data: for a state and an event, the next state and the actions. The program looks every transition up in these tables. A cell names the next state (`=` stays), the actions, and in brackets the guards that must hold. In an empty cell the event changes nothing. Several entries in a cell are tried in order. The drawings show the transitions between states, without actions.',
    ...MACHINES.map(({ title, machine }) => {
      const { name, definition } = machine
      return `## ${title}\n\n${definition.about}\n\n${drawing(name)}\n\n${toMarkdown(machine)}`
    }),
    `## Worktree fate\n\nWhat happens to a worktree that a run has left. The first rule that holds decides.\n\n${drawing('worktree-fate')}\n\n${fateTable()}`,
  )
}

/** The SVG files, by path below `docs/`. */
export async function tableDrawings() {
  const viz = await instance()
  const rules = WORKTREE_FATE_RULES.map(({ when, fate }) => ({ when, result: fate }))
  const sources = [
    ...MACHINES.map(({ machine }) => [machine.name, toDot(machine)]),
    ['worktree-fate', rulesToDot('worktree-fate', rules)],
  ]
  return Object.fromEntries(
    sources.map(([name, dot]) => [`images/tables/${name}.svg`, viz.renderString(dot, { format: 'svg' })]),
  )
}

function drawing(name) {
  return `![The transitions of ${name}](../images/tables/${name}.svg)`
}

function fateTable() {
  return table(
    ['when', 'fate', 'outcome'],
    WORKTREE_FATE_RULES.map(({ when, fate, outcome }) => [when, `\`${fate}\``, outcome]),
  )
}
