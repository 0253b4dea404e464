/** The run or session that an error is about, for logs. */
const SUBJECT = Symbol('subject')

/** Remembers which run or session an error is about; the innermost one counts. */
export function errorAbout(subject: string, error: unknown): unknown {
  if (error instanceof Error && !(SUBJECT in error)) Object.defineProperty(error, SUBJECT, { value: subject })
  return error
}

/** An error as a line of a log: what it is about, and its stack. */
export function errorLine(error: unknown): string {
  if (!(error instanceof Error)) return `error: ${String(error)}`
  const subject = (error as { [SUBJECT]?: string })[SUBJECT]
  return `error: ${subject === undefined ? '' : `[${subject}] `}${error.stack ?? error.message}`
}
