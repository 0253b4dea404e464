import type { TodoItem } from '../view.js'

const ITEM = /^\s*(?:⎿\s*)?(?<mark>\[[ xX~]\]|[☐◻□○☑☒✔✓◼■◐▣▪])\s+(?<text>\S.*)$/u

/** Task rows as items; a row without a mark continues the one above. */
export function readTodo(lines: readonly string[]): TodoItem[] {
  const items: TodoItem[] = []
  for (const line of lines) {
    const match = ITEM.exec(line)
    if (match) items.push({ text: match.groups!.text!.trim(), status: statusOf(match.groups!.mark!) })
    else if (items.length > 0 && line.trim() !== '') items.at(-1)!.text += ` ${line.trim()}`
  }
  return items
}

function statusOf(mark: string): TodoItem['status'] {
  if (/[xX☑☒✔✓■]/u.test(mark)) return 'done'
  return /[◼◐▣▪~]/u.test(mark) ? 'in_progress' : 'open'
}
