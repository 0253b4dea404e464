/** Exit codes, the same for every command (docs/reference/cli.md). */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  rejected: 3,
  needsHuman: 4,
  timeout: 5,
  config: 6,
  programMissing: 7,
  interrupted: 130,
} as const

export type ErrorCode = `E_${string}`

/** Where a mistake is: a file, and the line and column in it if they are known. */
export interface FilePosition {
  file: string
  line?: number
  column?: number
}

const EXIT_BY_CODE: Record<string, number> = {
  E_INPUT: EXIT.usage,
  E_ID_AMBIGUOUS: EXIT.usage,
  E_UNKNOWN: EXIT.usage,
  E_ROLE: EXIT.rejected,
  E_REJECTED: EXIT.rejected,
  E_UNTRUSTED: EXIT.needsHuman,
  E_NEEDS_HUMAN: EXIT.needsHuman,
  E_STEP_UP: EXIT.needsHuman,
  E_APPROVAL_SEE_ALL: EXIT.needsHuman,
  E_TIMEOUT: EXIT.timeout,
  E_WORKER_AWAY: EXIT.timeout,
  E_NO_WORKER: EXIT.needsHuman,
  E_JOIN: EXIT.config,
  E_CONFIG: EXIT.config,
  E_HOME: EXIT.config,
  E_PACK: EXIT.config,
  E_STORE_VERSION: EXIT.config,
  E_STORE_CORRUPT: EXIT.config,
  E_STORE_ACCESS: EXIT.config,
  E_STORE_MOVED: EXIT.config,
  E_STORE_MOVE: EXIT.config,
  E_BACKUP: EXIT.config,
  E_UPGRADE: EXIT.config,
  E_ENGINE_SINGLE: EXIT.config,
  E_ENGINE_MIXED: EXIT.config,
  E_ENGINE: EXIT.config,
  E_ENGINE_MISSING: EXIT.programMissing,
  E_AGENT_MISSING: EXIT.programMissing,
  E_PROGRAM_MISSING: EXIT.programMissing,
  E_NOT_SIGNED_IN: EXIT.programMissing,
}

/** The one error type: `message` for people, `next` to do, a stable `code`. */
export class SignalboxError extends Error {
  readonly code: ErrorCode
  readonly next: string | undefined
  readonly place: FilePosition | undefined
  readonly details: Record<string, unknown> | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { next?: string; place?: FilePosition; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'SignalboxError'
    this.code = code
    this.next = options.next
    this.place = options.place
    this.details = options.details
  }
}

export function exitCodeOf(error: unknown): number {
  return error instanceof SignalboxError ? (EXIT_BY_CODE[error.code] ?? EXIT.failed) : EXIT.failed
}

/** Wraps any thrown value; a SignalboxError is returned unchanged. */
export function toSignalboxError(error: unknown, code: ErrorCode = 'E_INTERNAL'): SignalboxError {
  if (error instanceof SignalboxError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new SignalboxError(code, message, { cause: error })
}
