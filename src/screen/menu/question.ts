/** The question, its title, and the rest: the subject of the question, above or below it. */
export interface FoundQuestion {
  title: string
  question: string
  body: string[]
}

/** `Reason: Run the slow job?`: a field that ends in a question mark by chance. */
const FIELD = /^\p{Lu}[\p{L} ]{0,20}:\s+\S/u

/** A symbol before the words: `△ Permission required`, `☐ Logger`, `> Which colour?`. */
const SIGN = /^[^\p{L}\p{N}\s"'`([{/\\$#@~<*_.+-]\s+(?=\S)/u

/**
 * Finds the question among the lines above the options. A line that matches the pack's question or
 * title is preferred; otherwise the last line that ends like a question; otherwise the last one
 * that is not quoted from a command, a change or a listing.
 */
export function findQuestion(
  lines: readonly string[],
  known: { question: RegExp | null; title: RegExp | null } | null,
): FoundQuestion {
  const at = lines.length === 0 ? -1 : questionAt(lines, known)
  return {
    title: at > 0 ? lines[0]!.replace(/\s*╱{2,}$/u, '').replace(SIGN, '') : '',
    question: (lines[at] ?? '').replace(SIGN, ''),
    body: lines.filter((_, index) => index !== at && !(index === 0 && at > 0)),
  }
}

function questionAt(lines: readonly string[], known: { question: RegExp | null; title: RegExp | null } | null): number {
  const isAsking = (text: string) => /[?:？：]$/u.test(text)
  const wanted = [
    (text: string) => known?.question?.test(text) === true && isAsking(text),
    (text: string) => isAsking(text) && !FIELD.test(text) && !isQuoted(text),
    isAsking,
    (text: string) => known?.title?.test(text) === true,
    (text: string) => !isQuoted(text),
  ]
  for (const is of wanted) {
    const at = lines.findLastIndex(is)
    if (at >= 0) return at
  }
  return lines.length - 1
}

/** Lines of a command, a change or a listing. */
export function isQuoted(text: string): boolean {
  return /^\s*(?:\d+\s|[-+$>|#]|[[{(])/u.test(text)
}
