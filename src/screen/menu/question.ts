/** What is asked, what it is headed by, and all the rest: what it is asked about, whether it stands above the question or below. */
export interface FoundQuestion {
  title: string
  question: string
  body: string[]
}

/** `Reason: Run the slow job?`: a field that happens to end in a question mark. */
const FIELD = /^\p{Lu}[\p{L} ]{0,20}:\s+\S/u

/** A sign before the words: `△ Permission required`, `☐ Logger`, `> Which colour?`. */
const SIGN = /^[^\p{L}\p{N}\s"'`([{/\\$#@~<*_.+-]\s+(?=\S)/u

/**
 * The question among the lines above the options. What the pack knows as the question or as the title comes first; else the last line that
 * ends like a question; else the last one that is not quoted from a command, a change or a listing.
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
