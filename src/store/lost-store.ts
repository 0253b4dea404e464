import { SignalboxError } from '../errors/index.js'

/** The store did not answer for too long, or has lost events. */
const STORE_LOST: readonly string[] = ['E_STORE_AWAY', 'E_STORE_ROLLED_BACK']

/** Whether the store was lost: the error says nothing about the work that needed it. */
export function isStoreLost(error: unknown): error is SignalboxError {
  return error instanceof SignalboxError && STORE_LOST.includes(error.code)
}
