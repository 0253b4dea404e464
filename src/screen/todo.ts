import type { Pack } from './pack/pack.js'
import type { ScreenRow } from './screen-row.js'
import { matchesRow } from './style-match.js'
import type { Payload, TodoItem } from './view.js'

const MARKS: Record<string, TodoItem['status']> = {
  '☐': 'open',
  '◻': 'open',
  '□': 'open',
  '◐': 'in_progress',
  '◼': 'in_progress',
  '▣': 'in_progress',
  '☒': 'done',
  '✔': 'done',
  '✓': 'done',
  '☑': 'done',
  '■': 'done',
}

/** The task panel, if the pack declares one and it is on the screen. */
export function readTodos(rows: readonly ScreenRow[], pack: Pack): Payload['todo_list'] | null {
  const panel = pack.panels.find(entry => entry.name === 'tasks')
  if (!panel) return null
  const start = rows.findLastIndex(
    (row, index) =>
      matchesRow(row, panel.first) &&
      !(index > 0 && panel.more?.test(rows[index]!.text) && matchesRow(rows[index - 1]!, panel.first)),
  )
  if (start < 0) return null
  const items: TodoItem[] = []
  for (let index = start; index < rows.length; index++) {
    const { text } = rows[index]!
    if (index > start && !(panel.more?.test(text) ?? false)) break
    const match = /([☐◻□◐◼▣☒✔✓☑■])\s+(\S.*)$/u.exec(text)
    if (match) items.push({ status: MARKS[match[1]!]!, text: match[2]!.trim() })
  }
  const count = (status: TodoItem['status']) => items.filter(item => item.status === status).length
  return { total: items.length, done: count('done'), inProgress: count('in_progress'), open: count('open'), items }
}
