/** A line of a plan; fenced text is never a heading, a goal or a task. */
export interface PlanLine {
  text: string
  isFenced: boolean
}

/** Converts all line endings to `\n`. */
export function normaliseLines(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/**
 * Splits text into lines and marks fenced ones. A fence opens with three or more backticks or
 * tildes and is closed only by at least as many of the same kind with nothing after them; one that
 * is never closed runs to the end. The fence lines themselves count as fenced.
 */
export function planLines(text: string): PlanLine[] {
  let fence: { mark: string; length: number } | null = null
  return normaliseLines(text)
    .split('\n')
    .map(line => {
      const match = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line)
      if (fence) {
        const closes =
          match && match[1]![0] === fence.mark && match[1]!.length >= fence.length && match[2]!.trim() === ''
        if (closes) fence = null
        return { text: line, isFenced: true }
      }
      // Backticks later on the line make it inline code.
      if (!match || (match[1]![0] === '`' && match[2]!.includes('`'))) return { text: line, isFenced: false }
      fence = { mark: match[1]![0]!, length: match[1]!.length }
      return { text: line, isFenced: true }
    })
}
