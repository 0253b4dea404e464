import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { toSignalboxError } from '../errors/index.js'

const STATUS: Readonly<Record<string, ContentfulStatusCode>> = {
  E_INPUT: 400,
  E_ID_AMBIGUOUS: 400,
  E_LOGIN: 401,
  E_ROLE: 403,
  E_ORIGIN: 403,
  E_HOST: 403,
  E_UNTRUSTED: 403,
  E_UNKNOWN: 404,
  E_APPROVAL_DECIDED: 409,
  E_APPROVAL_CHANGED: 409,
  E_STATE: 409,
  E_VERSION: 409,
  E_BUSY: 409,
  E_LIMIT: 409,
  E_TOO_LARGE: 413,
  E_TYPE: 415,
  E_RATE: 429,
  E_AGENT_MISSING: 422,
  E_CONFIG: 422,
  E_GRAPH: 422,
  E_APPROVAL_OPTION: 422,
  E_APPROVAL_EDIT: 422,
  E_APPROVAL_SEE_ALL: 428,
  E_STEP_UP: 428,
  E_TIMEOUT: 504,
}

/** One shape for every error, everywhere: what is wrong, and what to do. No stack, no secret. */
export function errorBody(thrown: unknown): { status: ContentfulStatusCode; body: { error: Record<string, unknown> } } {
  const error = toSignalboxError(thrown)
  const isKnown = error.code in STATUS
  return {
    status: STATUS[error.code] ?? 500,
    body: {
      error: {
        code: error.code,
        message: isKnown || error.code !== 'E_INTERNAL' ? error.message : 'something went wrong inside Signalbox',
        ...(error.next !== undefined && { next: error.next }),
        ...(error.place && { place: error.place }),
        ...(error.details && { details: error.details }),
      },
    },
  }
}
