import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { toSignalboxError } from '../errors/index.js'
import type { ApiError } from './api-types.js'
import type { Sendable } from './wire/index.js'

const STATUS: Readonly<Record<string, ContentfulStatusCode>> = {
  E_INPUT: 400,
  E_ID_AMBIGUOUS: 400,
  E_CANONICAL: 400,
  E_LOGIN: 401,
  E_ROLE: 403,
  E_ORIGIN: 403,
  E_HOST: 403,
  E_PROOF: 403,
  E_READ_ONLY: 403,
  E_STEP_UP: 403,
  E_UNTRUSTED: 403,
  E_LOCKED: 403,
  E_UNKNOWN: 404,
  E_METHOD: 405,
  E_APPROVAL_DECIDED: 409,
  E_APPROVAL_CHANGED: 409,
  E_STATE: 409,
  E_VERSION: 409,
  E_BUSY: 409,
  E_LIMIT: 409,
  E_IDEMPOTENCY: 409,
  E_REJECTED: 409,
  E_NEEDS_HUMAN: 409,
  E_JOIN: 403,
  E_WORKER_TWICE: 409,
  E_WORKER_AWAY: 503,
  E_NO_WORKER: 409,
  E_LEASE: 409,
  E_RUN_BROKEN: 409,
  E_TOO_LARGE: 413,
  E_URL: 414,
  E_TYPE: 415,
  E_RATE: 429,
  E_STORE_BUSY: 429,
  E_AGENT_MISSING: 422,
  E_PROGRAM_MISSING: 422,
  E_NOT_SIGNED_IN: 422,
  E_CONFIG: 422,
  E_DOT_SYNTAX: 422,
  E_DOT_LINT: 422,
  E_GRAPH: 422,
  E_GIT: 422,
  E_TRACKER: 422,
  E_PACK: 422,
  E_APPROVAL_OPTION: 422,
  E_APPROVAL_EDIT: 422,
  E_APPROVAL_SEE_ALL: 428,
  E_NOT_READY: 503,
  E_STORE: 503,
  E_STORE_AWAY: 503,
  E_ENGINE_AWAY: 503,
  E_TIMEOUT: 504,
}

export interface ErrorAnswer {
  status: ContentfulStatusCode
  body: { error: Sendable<ApiError> }
  /** Seconds, for `Retry-After`. */
  retryAfterS?: number
}

/**
 * The same shape for every error: what is wrong, and what to do. It contains no stack, no internal
 * path and no secret: of an unexpected error only the request's id is sent, under which the log has
 * the details.
 */
export function errorBody(thrown: unknown, requestId = 'none'): ErrorAnswer {
  const error = toSignalboxError(thrown)
  const isForeseen = error.code !== 'E_INTERNAL'
  const { fields, first, retryAfterMs, ...details } = error.details ?? {}
  return {
    status: STATUS[error.code] ?? 500,
    body: {
      error: {
        code: error.code,
        message: isForeseen ? error.message : 'internal error',
        next: error.next ?? (isForeseen ? 'nothing was changed' : `search for ${requestId} in the daemon's log`),
        ...(error.place && { place: error.place }),
        ...(fields !== undefined && { fields: fields as ApiError['fields'] }),
        ...(first !== undefined && { first: first as Sendable<ApiError>['first'] }),
        ...(isForeseen && Object.keys(details).length > 0 && { details }),
        requestId,
      },
    },
    ...(typeof retryAfterMs === 'number' && { retryAfterS: Math.max(1, Math.ceil(retryAfterMs / 1000)) }),
  }
}
