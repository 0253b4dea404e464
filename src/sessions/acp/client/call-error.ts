/** Codes of errors in answers to calls of the agent. */
export const CALL_ERROR = { invalidParams: -32_602, internal: -32_603, notFound: -32_002 } as const

/** Why a call of the agent was not performed: the error that the agent gets. */
export class CallError extends Error {
  readonly code: number

  constructor(code: keyof typeof CALL_ERROR, message: string) {
    super(message)
    this.code = CALL_ERROR[code]
  }
}
