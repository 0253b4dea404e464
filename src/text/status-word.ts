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
