/** One word for each status of a run, the same on every surface and the same as for sessions. */
export const RUN_WORDS = {
  queued: 'Queued',
  running: 'Working',
  waiting: 'Needs you',
  paused: 'Paused',
  completed: 'Done',
  failed: 'Failed',
  rejected: 'Rejected',
  cancelled: 'Cancelled',
} as const

/** In a line of text. A run that no process drives does not work, whatever its record says. */
export function runWord({ status, isUndriven }: { status: keyof typeof RUN_WORDS; isUndriven?: boolean }): string {
  return isUndriven ? 'stopped' : RUN_WORDS[status].toLowerCase()
}

/** How much care a request needs, as people read it: the API's `elevated` is a medium risk. */
export function riskWord(level: string): string {
  return level === 'elevated' ? 'medium' : level
}

/** Why the ledger closed a request that was not applied, by the reason in its record. */
const CLOSED: Readonly<Record<string, string>> = {
  gone: 'the agent no longer shows this question',
  changed: 'the agent changed its question',
  overtaken: 'another answer reached the agent first',
  unconfirmed: 'the agent did not confirm the answer',
  ambiguous: 'the agent’s menu did not react as expected, so nothing was chosen',
  'too-late': 'the agent stopped waiting before the answer arrived',
  unproven: 'the decision could not be verified',
}

export function closedReason(reason: string | undefined): string {
  return reason === undefined ? 'the request was withdrawn' : (CLOSED[reason] ?? reason.replaceAll('-', ' '))
}
