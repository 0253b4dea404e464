const FIRST_MS = 1_000
const LONGEST_MS = 30_000
const JITTER_MS = 500
const TRIES = 8
const AFTER_TRIES_MS = 5 * 60_000

/**
 * The delay before try number `failures` + 1: none, then 1 s doubled up to 30 s, and five minutes
 * after eight failures.
 */
export function waitBefore(failures: number, random: number): number {
  if (failures <= 0) return 0
  if (failures > TRIES) return AFTER_TRIES_MS
  return Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS) + random * JITTER_MS
}
