/** What an attack is after. Each has its own proof of success (`hostile-home.ts`). */
type Goal =
  | 'decide'
  | 'gate'
  | 'grant'
  | 'type'
  | 'settings'
  | 'token'
  | 'read'
  | 'write'
  | 'escape'
  | 'later'
  | 'shown'

/**
 * One thing that a hostile program tries from inside a session: a script for `sh`. Its variables
 * are in `facts`: SIGNALBOX (the command), SB_HOME, SOCKET, KEEPER, PORT, APPROVAL, FINGERPRINT,
 * DISPLAY_HASH, RUN and GATE (a run that waits, and the request of its gate), VICTIM (another
 * session), VICTIM_PID, DAEMON_PID, KEEPER_PID, NODE, PERSON (the HOME of the user). A helper that
 * does not exist on the machine makes the attack fail by itself, so `needs` names it.
 */
export interface Attack {
  id: string
  title: string
  goal: Goal
  script: string
  needs?: string
  /** It ends or changes what other attacks need: it runs alone, after them. */
  isLast?: boolean
  /**
   * Without the sandbox only the log or the person notices it: docs/guarantees.md says so. Or the
   * settings of the kernel decide.
   */
  without?: 'detected' | 'neither' | 'kernel'
}
