import { SignalboxError } from '../../errors/index.js'

/** The error of a blob store that does not work now. */
export function blobsAway(place: string, why: string): SignalboxError {
  return new SignalboxError('E_BLOBS_AWAY', `the blob store ${place} does not work: ${why}`, {
    next: 'check blobs.url; what waits for it is sent again',
  })
}

/** Whether the blob store does not work now: the error says nothing about the blob. */
export function isBlobsAway(error: unknown): error is SignalboxError {
  return error instanceof SignalboxError && error.code === 'E_BLOBS_AWAY'
}
