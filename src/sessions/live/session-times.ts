/** How long a session waits for what; the settings `sessions.*` and `send.*`. */
export interface SessionTimes {
  /** For the agent's own record at the end of a turn. */
  transcriptWaitMs: number
  /** For the input box or a menu after the start, before people are told. */
  readyTimeoutMs: number
  /** Without any change while it works, before people are told; 0: never. */
  silenceMs: number
  /** At a login screen that nobody attends, before the session is ended. */
  authGraceMs: number
  /** For the input box before a prompt is refused. */
  readyWaitMs: number
}

export const DEFAULT_TIMES: SessionTimes = {
  transcriptWaitMs: 2_000,
  readyTimeoutMs: 60_000,
  silenceMs: 600_000,
  authGraceMs: 60_000,
  readyWaitMs: 3_000,
}
