import { SignalboxError } from '../errors/index.js'

/** Whether an append failed because the stream was at another version than expected. */
export function isVersionConflict(error: unknown): boolean {
  return error instanceof SignalboxError && error.code === 'E_VERSION'
}

/** Repeats an attempt that reads, decides and appends until no other process wrote first. */
export async function retryConflicts<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isVersionConflict(error)) throw error
    }
  }
}
